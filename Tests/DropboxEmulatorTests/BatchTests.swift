// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Testing

/// Appending to many sessions, and finishing many, in one call.
@Suite struct BatchTests {
    var bench = EmulatorBench()

    private func entry(_ session: String, _ offset: Int64, _ length: Int64, close: Bool = false) -> EmulatorJSON {
        ["cursor": bench.cursor(session, offset), "length": .integer(length), "close": .bool(close)]
    }

    private func commit(_ session: String, _ offset: Int64, _ path: String) -> EmulatorJSON {
        ["cursor": bench.cursor(session, offset), "commit": ["path": .string(path)]]
    }

    @Test mutating func `each entry takes its part of the body or fails alone`() {
        let (first, second, third) = (bench.startSession(), bench.startSession("xy"), bench.startSession())
        let entries: EmulatorJSON = [
            entry(first, 0, 3, close: true), entry("nothing", 0, 2), entry(second, 0, 1),
            entry(third, 0, 4, close: true),
        ]
        let reply = bench.call(.appendBatch, ["entries": entries], "abc--?defg")
        #expect(reply.json["entries"][0] == [".tag": "success"])
        #expect(reply.json["entries"][1] == [".tag": "failure", "failure": [".tag": "not_found"]])
        #expect(reply.json["entries"][2]["failure"] == [".tag": "incorrect_offset", "correct_offset": 2])
        #expect(reply.json["entries"][3] == [".tag": "success"])
        let done = bench.call(
            .finishBatchV2,
            [
                "entries": [
                    commit(first, 3, "/1"), commit(second, 2, "/2"), commit(third, 4, "/3"), commit("no", 0, "/4"),
                ]
            ]
        )
        #expect(done.json["entries"][0][".tag"] == "success")
        #expect(done.json["entries"][0]["path_display"] == "/1")
        #expect(
            done.json["entries"][1]["failure"] == [".tag": "lookup_failed", "lookup_failed": [".tag": "not_closed"]]
        )
        #expect(done.json["entries"][2]["content_hash"].string == ContentHasher.contentHash(of: Array("defg".utf8)))
        #expect(done.json["entries"][3]["failure"]["lookup_failed"] == [".tag": "not_found"])
    }

    @Test mutating func `lengths, hash and size are of the whole call`() {
        let session = bench.startSession()
        let entries: EmulatorJSON = [entry(session, 0, 3)]
        #expect(bench.call(.appendBatch, ["entries": entries], "abcd").tag == "length_mismatch")
        let wrong = EmulatorJSON.string(ContentHasher.contentHash(of: []))
        #expect(
            bench.call(.appendBatch, ["entries": entries, "content_hash": wrong], "abc").tag == "content_hash_mismatch"
        )
        bench.dropbox.rules.maximumBody = 2
        #expect(bench.call(.appendBatch, ["entries": entries], "abc").tag == "payload_too_large")
        #expect(bench.call(.appendBatch, ["entries": []], "").status == 400)
    }

    @Test mutating func `entries know all errors of a session`() {
        bench.dropbox.rules.maximumFile = 4_194_304
        let closed = bench.startSession("x", close: true)
        let (large, concurrent) = (bench.startSession("abcd"), bench.startSession(kind: "concurrent"))
        bench.dropbox.rules.maximumFile = 5
        let entries: EmulatorJSON = [
            entry(closed, 1, 1), entry(large, 4, 2), entry(concurrent, 1, 1), entry(concurrent, 0, 1),
        ]
        let reply = bench.call(.appendBatch, ["entries": entries], "12345")
        let tags = reply.json["entries"].array.map { $0["failure"][".tag"].string }
        let expected = [
            "closed", "too_large", "concurrent_session_invalid_offset", "concurrent_session_invalid_data_size",
        ]
        #expect(tags == expected)
    }

    @Test mutating func `a conflict fails one entry of many`() {
        let sessions = (0..<2).map { _ in bench.startSession("x", close: true) }
        _ = bench.call(.upload, ["path": "/taken"], "other")
        let reply = bench.call(
            .finishBatchV2,
            ["entries": [commit(sessions[0], 1, "/taken"), commit(sessions[1], 1, "/free")]]
        )
        #expect(reply.json["entries"][0]["failure"]["path"]["conflict"] == [".tag": "file"])
        #expect(reply.json["entries"][1][".tag"] == "success")
    }

    @Test mutating func `the first version completes at once or as a job`() {
        let first = bench.startSession("x", close: true)
        let complete = bench.call(.finishBatch, ["entries": [commit(first, 1, "/1")]])
        #expect(complete.json[".tag"] == "complete")
        #expect(complete.json["entries"][0][".tag"] == "success")
        bench.dropbox.rules.finishBatchIsAsynchronous = true
        let second = bench.startSession("y", close: true)
        let job = bench.call(.finishBatch, ["entries": [commit(second, 1, "/2")]]).json["async_job_id"]
        #expect(bench.call(.finishBatchCheck, ["async_job_id": job]).json == [".tag": "in_progress"])
        #expect(bench.call(.finishBatchCheck, ["async_job_id": job]).json[".tag"] == "complete")
        #expect(bench.call(.finishBatchCheck, ["async_job_id": "none"]).tag == "invalid_async_job_id")
    }
}
