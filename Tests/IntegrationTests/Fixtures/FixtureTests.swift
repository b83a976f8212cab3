// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// The fixtures, checked with curl: tests can only be as good as their fixtures.
@Suite struct `The fixtures` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func curl(_ arguments: String...) throws -> CommandResult {
        try ChildProcess.run("/usr/bin/curl", ["-sS"] + arguments)
    }

    @Test func `nginx takes a file and gives it back`() throws {
        let server = try NginxServer()
        defer { server.kill() }
        try TestFiles.makeRandom(directory.path("in"), bytes: 3_000_001, seed: 7)
        let sent = try curl("-T", directory.path("in"), server.url("deep/down/file"))
        #expect(sent.isSuccess, "\(sent)")
        let fetched = try curl("-r", "1000-", "-o", directory.path("out"), server.url("deep/down/file"))
        #expect(fetched.isSuccess, "\(fetched)")
        #expect(try TestFiles.read(directory.path("out")) == Array(TestFiles.read(directory.path("in"))[1000...]))
        let entries = try server.waitForEntries("/deep/down/file", count: 2)
        #expect(entries.map(\.method) == ["PUT", "GET"])
        #expect(entries.map(\.status) == [201, 206])
        #expect(entries[1].range == "bytes=1000-")
        #expect(entries[1].bytes == 2_999_001)
        #expect(entries[0].requestLength > 3_000_000)
    }

    @Test func `nginx speaks TLS and asks for a password, and comes back on its port`() throws {
        let certificate = try TestCertificate(in: directory.path)
        let server = try NginxServer(.init(certificate: certificate, login: "me:secret"))
        defer { server.kill() }
        try TestFiles.write("hello", to: server.path("file"))
        for _ in 0..<2 {
            let fetched = try curl("--cacert", certificate.authority, "-u", "me:secret", server.url("file"))
            #expect(fetched.output == "hello", "\(fetched)")
            server.kill()
            #expect(try curl(server.url("file")).status == .exited(7))
            try server.start()
        }
        #expect(try server.entries().map(\.version) == ["HTTP/2.0", "HTTP/2.0"])
        #expect(try curl("--cacert", certificate.authority, "-f", server.url("file")).status == .exited(22))
    }

    @Test func `the fault server serves ranges and records what it is sent`() throws {
        let server = try FaultServer()
        defer { server.stop() }
        let file = FaultFile(random: 100_000, seed: 3)
        server.script("/file", .cut(file, after: 40_000), .file(file))
        server.script("/up", .status(201))
        let out = directory.path("out")
        #expect(try curl("-o", out, server.url("/file")).status == .exited(18))
        #expect(TestFiles.size(out) == 40_000)
        #expect(try curl("-C", "-", "-o", out, server.url("/file")).isSuccess)
        #expect(try TestFiles.read(out) == file.bytes)
        #expect(try curl("-T", out, "-H", "X-Note: a", "-H", "Expect: 100-continue", server.url("/up")).isSuccess)
        let requests = try server.waitForRequests(count: 3)
        #expect(requests.map(\.rangeStart) == [nil, 40_000, nil])
        #expect(requests[2].body == file.bytes)
        #expect(requests[2].isWhole)
        #expect(requests[2].headers["x-note"] == "a")
        #expect(server.connections == 3)
    }

    @Test func `the fault server's faults look to curl as they should`() throws {
        let server = try FaultServer()
        defer { server.stop() }
        let file = FaultFile(random: 50_000, seed: 4)
        server.script("/garbage", .garbage)
        server.script("/short", .liesAboutLength(file, stated: 60_000))
        server.script("/closes", .closes)
        server.script("/reset", .cut(file, after: 10_000, reset: true))
        server.script("/stall", .stallsInBody(file, after: 10_000))
        server.script("/endless", .endlessHeaders)
        server.script("/old", .untilClose(file))
        server.script("/busy", .busy(retryAfter: "1"), .status(200, body: "now"))
        #expect(try curl("--http1.1", server.url("/garbage")).status != .exited(0))
        #expect(try curl(server.url("/short")).status == .exited(18))
        #expect(try curl(server.url("/closes")).status == .exited(52))
        #expect(try curl(server.url("/reset")).status == .exited(56))
        #expect(try curl("-m", "1", server.url("/stall")).status == .exited(28))
        #expect(try curl(server.url("/endless")).status != .exited(0))
        #expect(try curl("--fail", server.url("/old")).isSuccess)
        #expect(try curl("--retry", "2", server.url("/busy")).output.hasSuffix("now"))
        server.onAccept(.close)
        #expect(try curl(server.url("/old")).status != .exited(0))
        server.onAccept(.garbage)
        #expect(try curl(server.url("/old")).status != .exited(0))
        server.onAccept(nil)
        #expect(try curl(server.url("/old")).isSuccess)
    }
}
