// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Testing

/// Everything that can go wrong on demand.
@Suite struct FaultTests {
    var bench = EmulatorBench()

    private mutating func set(_ fault: DropboxFault, on route: EmulatorRoute? = nil, call: Int = 1) {
        bench.dropbox.faults = DropboxFaultPlan([DropboxFaultRule(fault, on: route, .call(call))])
    }

    @Test mutating func `a reply is lost before or after the effect`() {
        let session = bench.startSession("abc")
        set(.lostBefore)
        #expect(bench.append(session, 3, "def").status == 0)
        #expect(bench.append(session, 6, "").json["error"]["correct_offset"] == 3)
        set(.lostAfter)
        #expect(bench.append(session, 3, "def").status == 0)
        #expect(bench.append(session, 3, "def").json["error"]["correct_offset"] == 6)
        set(.lostAfter)
        #expect(bench.finish(session, 6, "ghi").status == 0)
        #expect(bench.dropbox.file("/file")?.size == 9)
        #expect(bench.dropbox.record.answers["files/upload_session/append_v2"] == ["lost": 2, "409": 2])
        #expect(bench.dropbox.record.bytesReceivedTwice == 6)
        #expect(bench.dropbox.record.chunksReceivedTwice == 2)
    }

    @Test mutating func `a finish may keep the bytes and not the file`() {
        let session = bench.startSession("abc")
        set(.lostBetween, on: .finish)
        #expect(bench.finish(session, 3, "def").status == 0)
        #expect(bench.dropbox.files().isEmpty)
        #expect(bench.finish(session, 3, "def").lookup["correct_offset"] == 6)
        #expect(bench.finish(session, 6).status == 200)
    }

    @Test mutating func `an offset may be told wrongly`() {
        let session = bench.startSession("abc")
        set(.incorrectOffset(told: 77))
        #expect(bench.append(session, 3, "d").json["error"] == [".tag": "incorrect_offset", "correct_offset": 77])
        set(.incorrectOffsetBy(-2))
        #expect(bench.append(session, 3, "d").json["error"]["correct_offset"] == 1)
        set(.incorrectOffsetBy(-9))
        #expect(bench.append(session, 3, "d").json["error"]["correct_offset"] == 0)
        set(.incorrectOffset(told: 5))
        #expect(bench.finish(session, 3).lookup == [".tag": "incorrect_offset", "correct_offset": 5])
        set(.incorrectOffset(told: 5))
        #expect(bench.call(.upload, ["path": "/a"]).status == 200)
        #expect(bench.finish(session, 3).status == 200)
    }

    @Test mutating func `too many requests say when to come again`() {
        set(.rateLimited(retryAfter: 7, plain: false, reason: "too_many_requests"))
        let json = bench.call(.upload, ["path": "/a"])
        #expect(json.status == 429)
        #expect(json.header("Retry-After") == "7")
        #expect(json.json["error"] == ["reason": [".tag": "too_many_requests"], "retry_after": 7])
        #expect(json.json["error_summary"].string?.hasPrefix("too_many_requests/") == true)
        set(.rateLimited(retryAfter: 3, plain: true, reason: "too_many_write_operations"))
        let plain = bench.call(.upload, ["path": "/a"])
        #expect(plain.header("Retry-After") == "3")
        #expect(plain.header("Content-Type")?.hasPrefix("text/plain") == true)
        #expect(bench.dropbox.files().isEmpty)
        // The second call did not wait for the seven seconds of the first, which the second answer does not shorten.
        #expect(bench.dropbox.record.callsBeforeRetryAfter == 1)
        bench.now += 3
        #expect(bench.call(.upload, ["path": "/a"]).status == 200)
        #expect(bench.dropbox.record.callsBeforeRetryAfter == 2)
        bench.now += 4
        #expect(bench.call(.upload, ["path": "/a"]).status == 200)
        #expect(bench.dropbox.record.callsBeforeRetryAfter == 2)
    }

    @Test mutating func `an expired token stays expired, and other refusals are told once`() {
        set(.unauthorized("expired_access_token"))
        #expect(bench.call(.upload, ["path": "/a"]).tag == "expired_access_token")
        #expect(bench.call(.upload, ["path": "/a"]).tag == "expired_access_token")
        bench.token = bench.dropbox.issueToken(now: bench.now)["access_token"].string ?? ""
        for tag in ["invalid_access_token", "user_suspended", "route_access_denied"] {
            set(.unauthorized(tag))
            let reply = bench.call(.upload, ["path": "/a"])
            #expect(reply.status == 401)
            #expect(reply.tag == tag)
        }
        set(.unauthorized("missing_scope"))
        #expect(bench.call(.upload, ["path": "/a"]).json["error"]["required_scope"] == "files.content.write")
        #expect(bench.call(.upload, ["path": "/a"]).status == 200)
    }

    @Test mutating func `any status may come before or after the effect`() {
        set(.status(503, body: "busy", effect: false))
        let before = bench.call(.upload, ["path": "/a"], "x")
        #expect(before.status == 503)
        #expect(before.text == "busy")
        #expect(bench.dropbox.files().isEmpty)
        set(.status(500, body: "{}", effect: true))
        let after = bench.call(.upload, ["path": "/a"], "x")
        #expect(after.header("Content-Type") == "application/json")
        #expect(bench.dropbox.files().count == 1)
        #expect(bench.call(.upload, ["path": "/a"], "x").status == 200)
        #expect(bench.dropbox.record.commits == 1)
    }

    @Test(arguments: [
        EmulatorJSON.tag("path", nesting: .tag("operation_suppressed")),
        .tag("path", nesting: .tag("team_folder")), .tag("path", nesting: .tag("access_restricted")),
        .tag("path", nesting: .tag("too_many_write_operations")), .tag("too_many_write_operations"),
        .tag("encryption_not_supported"),
    ])
    func `errors that nothing here leads to can be asked for`(error: EmulatorJSON) {
        var bench = EmulatorBench()
        let session = bench.startSession("abc")
        bench.dropbox.faults = DropboxFaultPlan([DropboxFaultRule(.error(error, effect: false), on: .finish, times: 1)])
        let reply = bench.finish(session, 3)
        #expect(reply.status == 409)
        #expect(reply.json["error"] == error)
        #expect(reply.json["error_summary"].string?.hasPrefix(error[".tag"].string ?? "?") == true)
        #expect(bench.finish(session, 3).status == 200)
    }

    @Test mutating func `a session may be lost or closed`() {
        let lost = bench.startSession("abc")
        set(.sessionLost)
        #expect(bench.append(lost, 3, "d").tag == "not_found")
        #expect(bench.append(lost, 3, "d").tag == "not_found")
        #expect(bench.segments.isEmpty)
        let closed = bench.startSession("abc")
        set(.sessionClosed)
        #expect(bench.append(closed, 3, "d").tag == "closed")
        #expect(bench.finish(closed, 3).status == 200)
    }

    @Test(arguments: [false, true])
    func `a request is cut at a byte, which stay or go`(keep: Bool) {
        var bench = EmulatorBench()
        let session = bench.startSession("abc")
        bench.dropbox.faults = DropboxFaultPlan([DropboxFaultRule(.cut(at: 2, keep: keep), on: .append, .call(1))])
        #expect(bench.append(session, 3, "defghi").status == 0)
        #expect(bench.dropbox.record.bodyBytes(.append) == 2)
        #expect(bench.append(session, 9, "").json["error"]["correct_offset"].integer == (keep ? 5 : 3))
        bench.dropbox.faults = DropboxFaultPlan([DropboxFaultRule(.cut(at: 1, keep: keep), on: .finish, .call(1))])
        let size: Int64 = keep ? 5 : 3
        #expect(bench.finish(session, size, "xyz").status == 0)
        #expect(bench.finish(session, 99).lookup["correct_offset"].integer == (keep ? 6 : 3))
    }

    @Test mutating func `slowness is said to the edge`() {
        set(.slow(latency: 1.5, bytesPerSecond: 1000))
        bench.dropbox.rules.latency = 0.25
        let outcome = bench.send(bench.head(.upload, ["path": "/a"]), [1])
        #expect(outcome.delay == 1.75)
        #expect(outcome.reply?.status == 200)
    }

    @Test mutating func `rules count the calls of their routes`() {
        bench.dropbox.faults = DropboxFaultPlan([
            DropboxFaultRule(.lostBefore, on: .upload, .call(2)),
            DropboxFaultRule(.status(500, body: "", effect: false), times: 2),
        ])
        let statuses = (0..<5).map { _ in bench.call(.upload, ["path": "/a"], "x").status }
        #expect(statuses == [500, 0, 500, 200, 200])
        #expect(bench.dropbox.faults.used == 3)
    }

    @Test mutating func `a fault that can do nothing to a call does not come`() {
        let session = bench.startSession("abc")
        bench.dropbox.faults = DropboxFaultPlan([
            DropboxFaultRule(.sessionLost), DropboxFaultRule(.incorrectOffsetBy(1)),
            DropboxFaultRule(.cut(at: 2, keep: false)), DropboxFaultRule(.status(500, body: "", effect: false)),
        ])
        // Without a session, and with a body that ends before the cut.
        var head = bench.head(.upload, ["path": "/a"])
        head.headers["content-length"] = "1"
        #expect(bench.send(head, Array("x".utf8)).reply?.status == 500)
        #expect(bench.dropbox.faults.json.array.map { $0["used"] } == [0, 0, 0, 1])
        #expect(bench.append(session, 3, "d").tag == "not_found")
        #expect(bench.dropbox.faults.used == 2)
    }

    @Test func `a seed repeats what chance brings`() {
        func run(_ seed: UInt64) -> [Int] {
            var bench = EmulatorBench()
            let rule = DropboxFaultRule(.lostBefore, on: .upload, .probability(0.3))
            bench.dropbox.faults = DropboxFaultPlan([rule], seed: seed)
            return (0..<200).map { _ in bench.call(.upload, ["path": "/a"], "x").status }
        }
        #expect(run(7) == run(7))
        #expect(run(7) != run(8))
        #expect((30...90).contains(run(7).count { $0 == 0 }))
    }

    @Test mutating func `segments that nobody needs are let go`() {
        let session = bench.startSession("abc")
        _ = bench.append(session, 0, "refused")
        set(.lostBefore)
        _ = bench.append(session, 3, "lost")
        #expect(bench.segments.count == 1)
        _ = bench.finish(session, 3)
        #expect(bench.segments.count == 1)
        let again = bench.startSession("abc")
        _ = bench.finish(again, 3)
        #expect(bench.segments.count == 1)
        #expect(Set(bench.dropbox.reset()) == bench.segments)
    }
}
