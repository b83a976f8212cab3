// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Testing

/// Metadata and downloads.
@Suite struct ReadingTests {
    var bench = EmulatorBench()

    init() {
        _ = bench.call(.upload, ["path": "/Folder/ü.txt"], "0123456789")
    }

    private func extents(_ reply: EmulatorReply) -> [StoredExtent] {
        if case .stored(let extents) = reply.body { extents } else { [] }
    }

    @Test mutating func `what is not there is told`() {
        let reply = bench.call(.getMetadata, ["path": "/nothing"])
        #expect(reply.status == 409)
        #expect(reply.json["error"] == [".tag": "path", "path": [".tag": "not_found"]])
        #expect(reply.json["error_summary"].string?.hasPrefix("path/not_found/") == true)
        #expect(bench.call(.getMetadata, ["path": "/a//b"]).json["error"]["path"][".tag"] == "malformed_path")
        #expect(bench.call(.getMetadata, ["path": "id:x"]).json["error"]["path"][".tag"] == "not_found")
        #expect(bench.call(.getMetadata, ["path": ""]).status == 400)
        #expect(bench.call(.download, ["path": "/nothing"]).json["error"]["path"][".tag"] == "not_found")
        #expect(bench.call(.download, ["path": "/folder"]).json["error"]["path"][".tag"] == "not_file")
    }

    @Test mutating func `a download has its metadata in a header`() {
        let reply = bench.call(.download, ["path": "/folder/Ü.TXT"])
        #expect(reply.status == 200)
        #expect(extents(reply) == [StoredExtent(segment: "segment-1", offset: 0, length: 10)])
        let header = reply.header("Dropbox-API-Result") ?? ""
        #expect(header.utf8.allSatisfy { $0 < 0x7F })
        #expect(EmulatorJSON(parsing: header)?["path_display"] == "/Folder/ü.txt")
        let again = bench.call(
            .download,
            ["path": "/folder/ü.txt"],
            headers: ["if-none-match": reply.header("ETag") ?? ""]
        )
        #expect(again.status == 304)
    }

    @Test(arguments: [
        ("bytes=2-4", 2, 3, "bytes 2-4/10"), ("bytes=7-", 7, 3, "bytes 7-9/10"), ("bytes=-3", 7, 3, "bytes 7-9/10"),
        ("bytes=0-99", 0, 10, "bytes 0-9/10"), ("bytes=-99", 0, 10, "bytes 0-9/10"),
        ("bytes=0-9223372036854775807", 0, 10, "bytes 0-9/10"),
    ])
    func `a range gives its part`(range: String, offset: Int64, length: Int64, told: String) {
        var bench = bench
        let reply = bench.call(.download, ["path": "/folder/ü.txt"], headers: ["range": range])
        #expect(reply.status == 206)
        #expect(reply.header("Content-Range") == told)
        #expect(extents(reply) == [StoredExtent(segment: "segment-1", offset: offset, length: length)])
    }

    @Test mutating func `a range beyond the end is refused, and one that makes no sense is left aside`() {
        #expect(bench.call(.download, ["path": "/folder/ü.txt"], headers: ["range": "bytes=10-"]).status == 416)
        for range in ["bytes=5-2", "bytes=1-2,4-5", "lines=1-2", "bytes=x-y", "bytes=-"] {
            #expect(bench.call(.download, ["path": "/folder/ü.txt"], headers: ["range": range]).status == 200)
        }
    }

    @Test mutating func `a range may lie across the pieces of a session`() {
        let session = bench.startSession("abc")
        _ = bench.append(session, 3, "def")
        _ = bench.finish(session, 6, "ghi", path: "/pieces")
        let reply = bench.call(.download, ["path": "/pieces"], headers: ["range": "bytes=2-6"])
        #expect(
            extents(reply) == [
                StoredExtent(segment: "segment-2", offset: 2, length: 1),
                StoredExtent(segment: "segment-3", offset: 0, length: 3),
                StoredExtent(segment: "segment-4", offset: 0, length: 1),
            ]
        )
    }

    @Test mutating func `an account describes itself`() {
        let account = bench.call(.currentAccount, .null).json
        #expect(account["account_id"].string?.count == 40)
        #expect(account["email"] == "main@example.com")
        #expect(bench.call(.currentAccount, ["x": 1]).status == 400)
    }
}
