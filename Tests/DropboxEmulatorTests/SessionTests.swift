// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageTestSupport
import Testing

/// Sequential upload sessions: offsets, closing, finishing, and every error of their unions.
@Suite struct SessionTests {
    var bench = EmulatorBench()

    @Test mutating func `bytes come in order through start, append and finish`() {
        let session = bench.startSession("abc")
        let appended = bench.append(session, 3, "def")
        #expect(appended.status == 200)
        #expect(appended.text == "null")
        let reply = bench.finish(session, 6, "ghi", path: "/whole")
        #expect(reply.status == 200)
        #expect(reply.json["size"] == 9)
        #expect(reply.json["content_hash"].string == ContentHasher.contentHash(of: Array("abcdefghi".utf8)))
        #expect(bench.segments.count == 3)
    }

    @Test mutating func `the whole hash is right however chunks lie across blocks`() {
        var random = SeededGenerator(seed: 7)
        let bytes = random.bytes(10_000_000)
        let session = bench.startSession()
        var offset = 0
        for size in [4_194_304, 1, 3_000_000, 2_000_000] {
            let chunk = Array(bytes[offset..<offset + size])
            let argument: EmulatorJSON = [
                "cursor": bench.cursor(session, Int64(offset)),
                "content_hash": .string(ContentHasher.contentHash(of: chunk)),
            ]
            #expect(bench.call(.append, argument, chunk).status == 200)
            offset += size
        }
        let rest = Array(bytes[offset...])
        let argument: EmulatorJSON = ["cursor": bench.cursor(session, Int64(offset)), "commit": ["path": "/big"]]
        let reply = bench.call(.finish, argument, rest)
        #expect(reply.json["content_hash"].string == ContentHasher.contentHash(of: bytes))
    }

    @Test mutating func `a wrong offset is told with the right one and changes nothing`() {
        let session = bench.startSession("abc")
        for offset: Int64 in [0, 2, 4, 1_000_000] {
            let reply = bench.append(session, offset, "xyz")
            #expect(reply.status == 409)
            #expect(reply.json["error"] == [".tag": "incorrect_offset", "correct_offset": 3])
            #expect(reply.json["error_summary"].string?.hasPrefix("incorrect_offset/") == true)
            let finished = bench.finish(session, offset, "xyz")
            #expect(finished.lookup == [".tag": "incorrect_offset", "correct_offset": 3])
            #expect(finished.json["error_summary"].string?.hasPrefix("lookup_failed/incorrect_offset/") == true)
        }
        #expect(bench.segments.count == 1)
        #expect(bench.finish(session, 3).json["size"] == 3)
    }

    @Test mutating func `an unknown session is not found, and another account's neither`() {
        #expect(bench.append("nothing", 0, "x").tag == "not_found")
        #expect(bench.finish("nothing", 0, "x").lookup == [".tag": "not_found"])
        let session = bench.startSession("abc")
        let other = bench.dropbox.issueToken(account: "other", now: bench.now)["access_token"].string ?? ""
        bench.token = other
        #expect(bench.append(session, 3, "x").tag == "not_found")
    }

    @Test mutating func `a session ends seven days after its start`() {
        let session = bench.startSession("abc")
        bench.now += 604_799
        bench.token = bench.dropbox.issueToken(now: bench.now)["access_token"].string ?? ""
        #expect(bench.append(session, 3, "d").status == 200)
        bench.now += 1
        #expect(bench.append(session, 4, "e").tag == "not_found")
        #expect(bench.finish(session, 4).lookup == [".tag": "not_found"])
        #expect(bench.segments.isEmpty)
    }

    @Test mutating func `a closed session takes nothing more and can be finished`() {
        let session = bench.startSession("abc")
        #expect(bench.append(session, 3, "def", close: true).status == 200)
        #expect(bench.append(session, 6, "x").tag == "closed")
        #expect(bench.finish(session, 6, "x").lookup == [".tag": "closed"])
        #expect(bench.finish(session, 5).lookup == [".tag": "incorrect_offset", "correct_offset": 6])
        #expect(bench.finish(session, 6).json["size"] == 6)
    }

    @Test mutating func `a session may be closed when it starts`() {
        let session = bench.startSession("abc", close: true)
        #expect(bench.append(session, 3, "x").tag == "closed")
        #expect(bench.finish(session, 3).status == 200)
    }

    @Test(arguments: DropboxRules.AfterCommit.allCases)
    func `what a finished session answers is a rule`(answer: DropboxRules.AfterCommit) {
        var bench = EmulatorBench()
        bench.dropbox.rules.afterCommit = answer
        let session = bench.startSession("abc")
        #expect(bench.finish(session, 3).status == 200)
        #expect(bench.finish(session, 3).lookup == [".tag": .string(answer.rawValue)])
        #expect(bench.append(session, 3, "x").tag == answer.rawValue)
        #expect(bench.dropbox.record.commits == 1)
    }

    @Test mutating func `a file cannot grow beyond the limit`() {
        bench.dropbox.rules.maximumFile = 5
        let session = bench.startSession("abc")
        #expect(bench.append(session, 3, "def").tag == "too_large")
        #expect(bench.finish(session, 3, "def").lookup == [".tag": "too_large"])
        #expect(bench.append(session, 3, "de").status == 200)
        #expect(DropboxRules().maximumFile == 2_199_019_061_248)
    }

    @Test mutating func `a hash that does not fit changes nothing`() {
        let session = bench.startSession("abc")
        let wrong = EmulatorJSON.string(ContentHasher.contentHash(of: []))
        let append = bench.call(.append, ["cursor": bench.cursor(session, 3), "content_hash": wrong], "d")
        #expect(append.tag == "content_hash_mismatch")
        let argument: EmulatorJSON = [
            "cursor": bench.cursor(session, 3), "commit": ["path": "/a"], "content_hash": wrong,
        ]
        #expect(bench.call(.finish, argument, "d").tag == "content_hash_mismatch")
        #expect(bench.call(.start, ["content_hash": wrong], "d").tag == "content_hash_mismatch")
        #expect(bench.finish(session, 3).json["size"] == 3)
    }

    @Test mutating func `the hash in an append is of that call's bytes alone`() {
        let session = bench.startSession("abc")
        let right = EmulatorJSON.string(ContentHasher.contentHash(of: Array("def".utf8)))
        #expect(bench.call(.append, ["cursor": bench.cursor(session, 3), "content_hash": right], "def").status == 200)
    }

    @Test mutating func `a finish that fails for the path keeps the bytes`() {
        _ = bench.call(.upload, ["path": "/a"], "in the way")
        let session = bench.startSession("abc")
        let reply = bench.finish(session, 3, "def", path: "/a")
        #expect(reply.tag == "path")
        #expect(reply.json["error"]["path"] == [".tag": "conflict", "conflict": [".tag": "file"]])
        #expect(
            bench.finish(session, 3, "def", path: "/b").lookup == [".tag": "incorrect_offset", "correct_offset": 6]
        )
        #expect(bench.finish(session, 6, path: "/b").json["size"] == 6)
    }

    @Test mutating func `the slower of two calls at one place is told where the session is`() {
        let session = bench.startSession("abc")
        let head = bench.head(.append, ["cursor": bench.cursor(session, 3)])
        let slow = bench.dropbox.begin(head, now: bench.now)
        #expect(bench.append(session, 3, "def").status == 200)
        let reply = bench.end(slow, Array("def".utf8)).reply
        #expect(reply?.json["error"] == [".tag": "incorrect_offset", "correct_offset": 6])
        #expect(bench.finish(session, 6).json["size"] == 6)
    }

    @Test mutating func `bytes that were sent ahead of their turn must be sent again`() {
        let session = bench.startSession("abc")
        let ahead = bench.dropbox.begin(
            bench.head(.append, ["cursor": bench.cursor(session, 6)]),
            now: bench.now
        )
        #expect(bench.append(session, 3, "def").status == 200)
        #expect(bench.end(ahead, Array("ghi".utf8)).reply?.json["error"]["correct_offset"] == 6)
        #expect(bench.append(session, 6, "ghi").status == 200)
    }

    @Test(arguments: [false, true])
    func `what came of a broken request stays or goes by a rule`(keeps: Bool) {
        var bench = EmulatorBench()
        bench.dropbox.rules.keepsPrefix = keeps
        let session = bench.startSession("abc")
        let argument: EmulatorJSON = ["cursor": bench.cursor(session, 3)]
        #expect(bench.call(.append, argument, Array("defghi".utf8), cutAt: 2).status == 0)
        #expect(bench.append(session, 9, "").json["error"]["correct_offset"].integer == (keeps ? 5 : 3))
        #expect(bench.segments.count == (keeps ? 2 : 1))
    }

    @Test mutating func `sessions that are begun together are like others`() {
        let reply = bench.call(.startBatch, ["num_sessions": 3])
        let sessions = reply.json["session_ids"].array.compactMap(\.string)
        #expect(Set(sessions).count == 3)
        #expect(bench.append(sessions[1], 0, "abc").status == 200)
        #expect(bench.call(.startBatch, ["num_sessions": 0]).status == 400)
        #expect(bench.call(.startBatch, ["num_sessions": 1001]).status == 400)
        let concurrent = bench.call(.startBatch, ["num_sessions": 1, "session_type": "concurrent"])
        let session = concurrent.json["session_ids"][0].string ?? ""
        #expect(bench.append(session, 1, "x").tag == "concurrent_session_invalid_offset")
    }
}
