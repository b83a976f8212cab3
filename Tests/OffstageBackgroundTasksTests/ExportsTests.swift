// SPDX-License-Identifier: Apache-2.0
import OffstageBackgroundTasks
import Testing

@Suite struct ExportsTests {
    @Test func `a file that imports nothing else has Foundation and Dispatch`() {
        #expect(Date(timeIntervalSince1970: 0).timeIntervalSince1970 == 0)
        #expect(DispatchQueue(label: "queue").label == "queue")
    }
}
