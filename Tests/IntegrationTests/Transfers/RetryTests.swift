// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct `What may pass is tried again` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
    }

    /// Seconds between the first two requests for a path.
    private func gap(_ path: String) throws -> Double {
        let requests = server.requests(path)
        try #require(requests.count >= 2)
        return requests[1].receivedAt - requests[0].receivedAt
    }

    @Test(arguments: [503, 429, 408, 500, 502, 504])
    func `a status that may go away`(status: Int) throws {
        server.script(
            "/file",
            .busy(status, retryAfter: nil),
            .busy(status, retryAfter: nil),
            .status(200, body: "now")
        )
        let result = try daemon.run("download", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.text(daemon.path("file")) == "now")
        #expect(server.requests.count == 3)
        let detail = try daemon.detail(1)
        #expect(detail.retries == 2)
        #expect(detail.history.first?.failure?.code == .serverBusy)
    }

    @Test func `Retry-After in seconds is heeded, and why says so`() throws {
        server.script("/file", .busy(429, retryAfter: "3"), .status(200, body: "now"))
        let id = try daemon.submit("download", server.url("/file"))
        let row = try daemon.watch(id, for: "a wait") { $0.kind == .waiting }
        #expect(row.reason.nextLook != nil)
        let why = try daemon.run("why", "\(id)").output
        #expect(why.contains("429"), "\(why)")
        #expect(try daemon.wait(id).isSuccess)
        #expect(try gap("/file") >= 2.9)
    }

    @Test func `Retry-After as a date is heeded`() throws {
        // The server's own clock counts: this one is in another year.
        let headers = [
            HeaderField(name: "Date", value: "Fri, 02 Jan 2015 10:00:00 GMT"),
            HeaderField(name: "Retry-After", value: "Fri, 02 Jan 2015 10:00:03 GMT"),
        ]
        server.script("/file", .status(503, headers), .status(200, body: "now"))
        let id = try daemon.submit("download", server.url("/file"))
        #expect(try daemon.wait(id).isSuccess)
        #expect(try gap("/file") >= 2.9)
        #expect(try gap("/file") < 10)
    }

    @Test func `a status that stays is final at once unless every answer is wanted`() throws {
        server.script("/gone", .status(404, body: "no"))
        #expect(try daemon.run("download", server.url("/gone")).code == 22)
        server.script("/busy", .status(503, body: "busy"))
        _ = try daemon.makeFile("file", bytes: 10)
        let any = try daemon.run("upload", "file", server.url("/busy"), "--any-status")
        #expect(any.code == 22, "\(any)")
        #expect(server.requests("/gone").count == 1)
        #expect(server.requests("/busy").count == 1)
    }

    @Test func `the number of retries is kept to`() throws {
        server.script("/busy", .status(503))
        expectSentence(try daemon.run("download", server.url("/busy"), "--retry", "3"), code: 22, "503")
        #expect(server.requests.count == 4)
        expectSentence(try daemon.run("download", server.url("/busy"), "--retry", "0"), code: 22, "503")
        #expect(server.requests.count == 5)
    }

    @Test func `the overall time ends it as timed out`() throws {
        server.script("/busy", .busy(retryAfter: "30"))
        let begun = TimeLimit.now
        let result = try daemon.run("download", server.url("/busy"), "--max-time", "2")
        #expect(result.code == 1, "\(result)")
        #expect(try daemon.show(1).reason.failure.string == "overallTimeout")
        #expect((1.9..<10).contains(TimeLimit.now - begun))
        server.script("/stall", .stalls)
        #expect(try daemon.run("download", server.url("/stall"), "--max-time", "2").code == 1)
        #expect(try daemon.show(2).reason.failure.string == "overallTimeout")
    }

    @Test func `the idle time ends an attempt and another is made`() throws {
        let file = FaultFile(random: 3_000_000, seed: 2)
        server.script("/file", .stallsInBody(file, after: 1_000_000), .file(file))
        let result = try daemon.run("download", server.url("/file"), "--speed-time", "1")
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == file.bytes)
        #expect(server.requests.map(\.rangeStart) == [nil, 1_000_000])
        #expect(try daemon.detail(1).history.first?.failure?.code == .idleTimeout)
    }

    @Test func `an upload that is cut is sent anew from byte 0`() throws {
        server.script("/up", .cutsUpload(after: 500_000), .cutsUpload(after: 900_000, reset: false), .status(201))
        let file = try daemon.makeFile("file", bytes: 2_000_000)
        let result = try daemon.run("upload", "file", server.url("/up"))
        #expect(result.isSuccess, "\(result)")
        #expect(server.requests.count == 3)
        #expect(try TestFiles.sha256(of: server.requests[2].body) == file.sha256)
        #expect(try daemon.detail(1).history.map(\.fromByte) == [0, 0, 0])
    }

    @Test func `a request that is not idempotent carries one key through all attempts`() throws {
        server.script("/post", .cutsUpload(after: 10), .status(503), .status(200))
        server.script("/put", .status(503), .status(200))
        _ = try daemon.makeFile("file", bytes: 100_000)
        #expect(try daemon.run("upload", "file", server.url("/post"), "-X", "POST").isSuccess)
        let keys = server.requests("/post").map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 3)
        #expect(Set(keys).count == 1)
        #expect((keys[0] ?? "").count >= 16)
        #expect(try daemon.run("upload", "file", server.url("/post"), "-X", "POST").isSuccess)
        #expect(server.requests("/post").last?.headers["Idempotency-Key"] != keys[0])
        #expect(try daemon.run("upload", "file", server.url("/put"), "--idempotency-key", "mine").isSuccess)
        #expect(server.requests("/put").map { $0.headers["Idempotency-Key"] } == ["mine", "mine"])
        #expect(try daemon.run("upload", "file", server.url("/post"), "-X", "POST", "--no-idempotency-key").isSuccess)
        #expect(server.requests("/post").last?.headers["Idempotency-Key"] == nil)
    }

    @Test func `the key is the same after the daemon was killed`() throws {
        server.script("/post", .readsSlowly(500_000), .status(200))
        _ = try daemon.makeFile("file", bytes: 2_000_000)
        let id = try daemon.submit("upload", "file", server.url("/post"), "-X", "POST")
        try server.waitForRequests("/post", count: 1)
        try daemon.killDaemon()
        #expect(try daemon.wait(id).isSuccess)
        #expect(Set(server.requests("/post").map { $0.headers["Idempotency-Key"] }).count == 1)
    }

    @Test func `servers that want to be asked first, or that refuse to be, work`() throws {
        let gate = FaultGate()
        server.script("/asked", .held(gate, then: .status(201)))
        server.script("/refuses", .refusesExpectation())
        server.script("/early", .answersBeforeBody(201))
        let file = try daemon.makeFile("file", bytes: 3_000_000)
        gate.open()
        for (path, options) in [("/asked", ["-H", "Expect: 100-continue"]), ("/refuses", [])] {
            let result = try daemon.run(["upload", "file", server.url(path)] + options)
            #expect(result.isSuccess, "\(result)")
            let last = try #require(server.requests(path).last)
            #expect(try TestFiles.sha256(of: last.body) == file.sha256)
        }
        #expect(server.requests("/asked")[0].headers["Expect"]?.lowercased() == "100-continue")
    }
}
