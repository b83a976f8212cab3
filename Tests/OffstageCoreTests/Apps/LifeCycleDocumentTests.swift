// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageTestSupport
import Testing

@Suite struct LifeCycleDocumentTests {
    @Test func `the document shows the rule as it is`() throws {
        let folder = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/docs"
        let path = folder + "/life-cycle.md"
        if ProcessInfo.processInfo.environment["OFFSTAGE_WRITE_DOCS"] == "1" {
            try Data(LifeCycleDocument.text.utf8).write(to: URL(filePath: path))
        }
        let text = try TestFiles.text(path)
        #expect(
            text == LifeCycleDocument.text,
            "Look at what has changed, and run this test with OFFSTAGE_WRITE_DOCS=1 if it is meant."
        )
    }
}
