// SPDX-License-Identifier: Apache-2.0
import OffstageScheduler
import Testing

@Suite struct DiskSpaceTests {
    @Test func `the space of a folder that is there is known`() throws {
        #expect(try #require(DiskSpace.free(at: "/")) > 0)
    }

    @Test func `a folder that is not there has no answer`() {
        #expect(DiskSpace.free(at: "/nowhere/at/all") == nil)
    }
}
