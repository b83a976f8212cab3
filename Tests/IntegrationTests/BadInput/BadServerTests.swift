// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// Faults of a server, next to a transfer that must not be affected.
@Suite struct `Bad servers end in one sentence` {
    /// One fault, and the message for people.
    struct Fault: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var answers: [FaultAnswer]
        var options: [String] = []
        /// Words that the sentence contains.
        var words: [String] = []
        var code: Int32 = 1
        /// The maximum number of requests; nil for no limit.
        var atMost: Int?
    }

    private static let file = FaultFile(random: 100_000, seed: 8)

    static let downloads: [Fault] = [
        Fault(testDescription: "closes", answers: [.closes], options: ["--retry", "1"], atMost: 2),
        Fault(testDescription: "resets", answers: [.resets], options: ["--retry", "1"], atMost: 2),
        Fault(testDescription: "garbage", answers: [.garbage]),
        Fault(
            testDescription: "stalls",
            answers: [.stalls],
            options: ["--speed-time", "1", "--retry", "1"],
            atMost: 2
        ),
        Fault(
            testDescription: "stalls in the body",
            answers: [.stallsInBody(FaultFile(random: 100_000, seed: 1, etag: nil), after: 1000)],
            options: ["--speed-time", "1", "--retry", "1"],
            atMost: 2
        ),
        Fault(
            testDescription: "states more than it sends",
            answers: [.liesAboutLength(FaultFile(random: 1000, seed: 1, etag: nil), stated: 5000)],
            options: ["--retry", "2"],
            atMost: 3
        ),
        Fault(testDescription: "endless headers", answers: [.endlessHeaders]),
        Fault(testDescription: "redirects in a loop", answers: [.redirect(to: "/fault")], words: ["redirect"]),
        Fault(
            testDescription: "redirects to file://",
            answers: [.redirect(to: "file:///etc/passwd")],
            words: ["redirect"],
            atMost: 1
        ),
        Fault(
            testDescription: "redirects to ftp://",
            answers: [.redirect(to: "ftp://127.0.0.1/etc/passwd")],
            words: ["redirect"],
            atMost: 1
        ),
        Fault(
            testDescription: "206 unasked",
            answers: [.partial(contentRange: "bytes 5-9/10", body: [1, 2, 3, 4, 5])]
        ),
        Fault(testDescription: "206 without range", answers: [.partial(contentRange: nil, body: [1, 2, 3])]),
        Fault(testDescription: "404", answers: [.status(404)], words: ["404"], code: 22, atMost: 1),
        Fault(testDescription: "401", answers: [.status(401)], words: ["401"], code: 22, atMost: 1),
        Fault(
            testDescription: "500 always",
            answers: [.status(500)],
            options: ["--retry", "2"],
            words: ["500"],
            code: 22,
            atMost: 3
        ),
        Fault(
            testDescription: "a checksum that is another's",
            answers: [.file(file)],
            options: ["--checksum", "sha256:" + String(repeating: "0", count: 64)],
            words: ["checksum"],
            atMost: 1
        ),
    ]

    @Test(arguments: downloads)
    func `a download`(fault: Fault) throws {
        let daemon = try DaemonFixture(settings: #"{"retryBaseDelay": 0.05, "retryMaximumDelay": 0.2}"#)
        defer { daemon.end() }
        let server = try FaultServer()
        defer { server.stop() }
        let bystander = try Bystander(daemon)
        server.script("/fault", fault.answers)
        let result = try daemon.run(["download", server.url("/fault"), "-o", "out"] + fault.options)
        expectSentence(result, code: fault.code)
        for word in fault.words { #expect(result.errors.lowercased().contains(word), "\(result.errors)") }
        #expect(!TestFiles.exists(daemon.path("out")))
        if let most = fault.atMost { #expect(server.requests.count <= most) }
        #expect(server.requests.count <= 60, "a mistake is not repeated without end")
        try bystander.expectArrival()
    }

    static let uploads: [Fault] = [
        Fault(testDescription: "closes", answers: [.closes], options: ["--retry", "1"], atMost: 2),
        Fault(
            testDescription: "breaks off",
            answers: [.cutsUpload(after: 10_000)],
            options: ["--retry", "2"],
            atMost: 3
        ),
        Fault(testDescription: "garbage", answers: [.garbage]),
        Fault(
            testDescription: "stalls",
            answers: [.stalls],
            options: ["--speed-time", "1", "--retry", "1"],
            atMost: 2
        ),
        Fault(testDescription: "413 at once", answers: [.answersBeforeBody(413)], words: ["413"], code: 22, atMost: 1),
        Fault(
            testDescription: "redirects in a loop",
            answers: [.redirect(to: "/fault", status: 307)],
            words: ["redirect"]
        ),
        Fault(
            testDescription: "redirects to file://",
            answers: [.redirect(to: "file:///tmp/x", status: 307)],
            words: ["redirect"]
        ),
    ]

    @Test(arguments: uploads)
    func `an upload`(fault: Fault) throws {
        let daemon = try DaemonFixture(settings: #"{"retryBaseDelay": 0.05, "retryMaximumDelay": 0.2}"#)
        defer { daemon.end() }
        let server = try FaultServer()
        defer { server.stop() }
        let bystander = try Bystander(daemon)
        server.script("/fault", fault.answers)
        _ = try daemon.makeFile("file", bytes: 3_000_000)
        let result = try daemon.run(["upload", "file", server.url("/fault")] + fault.options)
        expectSentence(result, code: fault.code)
        for word in fault.words { #expect(result.errors.lowercased().contains(word), "\(result.errors)") }
        if let most = fault.atMost { #expect(server.requests.count <= most) }
        try bystander.expectArrival()
    }

    @Test func `a host that does not resolve and a port that is refused`() throws {
        let daemon = try DaemonFixture(settings: #"{"retryBaseDelay": 0.05, "retryMaximumDelay": 0.2}"#)
        defer { daemon.end() }
        let bystander = try Bystander(daemon)
        let port = try FreePort.find()
        let refused = try daemon.run("download", "--retry", "1", "http://127.0.0.1:\(port)/x")
        expectSentence(refused, code: 1, "\(port)")
        let unknown = try daemon.run("download", "http://no-such-host.invalid/x", "--retry", "1")
        expectSentence(unknown, code: 1)
        #expect((unknown.errors + unknown.output).contains("no-such-host.invalid"))
        try bystander.expectArrival()
    }

    @Test func `a server that accepts and says nothing, closes or speaks another language`() throws {
        let daemon = try DaemonFixture(settings: #"{"retryBaseDelay": 0.05, "retryMaximumDelay": 0.2}"#)
        defer { daemon.end() }
        let bystander = try Bystander(daemon)
        for fault in [FaultServer.ConnectionFault.close, .stall, .garbage] {
            let server = try FaultServer()
            defer { server.stop() }
            server.onAccept(fault)
            expectSentence(
                try daemon.run(
                    "download",
                    server.url("/x"),
                    "--speed-time",
                    "1",
                    "--connect-timeout",
                    "1",
                    "--retry",
                    "1"
                ),
                code: 1
            )
            let secure = "https" + server.url("/x").dropFirst(4)
            expectSentence(
                try daemon.run("download", secure, "--speed-time", "1", "--connect-timeout", "1", "--retry", "1"),
                code: 1
            )
        }
        try bystander.expectArrival()
    }

    @Test func `a body without an end stops where the disk or a person says`() throws {
        let daemon = try DaemonFixture()
        defer { daemon.end() }
        let server = try FaultServer()
        defer { server.stop() }
        server.script("/endless", .endlessBody)
        let id = try daemon.submit("download", server.url("/endless"), "-o", "out", "--limit-rate", "2M")
        try daemon.watchBytes(id, atLeast: 500_000)
        #expect(try daemon.run("cancel", "\(id)").isSuccess)
        #expect(try daemon.wait(id).code == 1)
        try eventually("nothing is left") { TestFiles.names(in: daemon.files).isEmpty ? true : nil }
    }
}
