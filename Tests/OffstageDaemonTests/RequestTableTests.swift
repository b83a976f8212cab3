// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageDaemon
import OffstageTestSupport
import Testing

/// The one table of requests, and the documents that show it.
@Suite struct RequestTableTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    @Test func `no request has two handlers`() {
        #expect(Set(RouteTable.names).count == RouteTable.names.count)
    }

    @Test func `every request of the protocol has a handler`() throws {
        // The handshake precedes all routes; the other is `submit` as encoded by a client with a million transfers.
        let others = ["Hello", "SubmitEncodedTransfers"]
        let declaration = #/struct (\w+): WireRequest/#
        let folder = Self.root + "/Sources/OffstageProtocol"
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
        let declared = try files.flatMap { path in
            try TestFiles.text(folder + "/" + path).matches(of: declaration).map { String($0.1) }
        }
        #expect(declared.count > 40)
        for name in declared where !others.contains(name) {
            #expect(RouteTable.document.contains("| `\(name)` |"), "\(name) has no route")
        }
    }

    @Test func `the document shows the table as it is`() throws {
        let path = Self.root + "/docs/wire-protocol.md"
        var text = try TestFiles.text(path)
        let begin = try #require(text.firstRange(of: #/<!-- requests: .*-->\n/#))
        let end = try #require(text.firstRange(of: "<!-- end of requests -->"))
        if ProcessInfo.processInfo.environment["OFFSTAGE_WRITE_DOCS"] == "1" {
            text.replaceSubrange(begin.upperBound..<end.lowerBound, with: RouteTable.document)
            try Data(text.utf8).write(to: URL(filePath: path))
            return
        }
        #expect(
            text[begin.upperBound..<end.lowerBound] == RouteTable.document,
            "Look at what has changed, and run this test with OFFSTAGE_WRITE_DOCS=1 if it is meant."
        )
    }
}
