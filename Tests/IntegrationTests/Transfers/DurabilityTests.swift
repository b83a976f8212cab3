// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

@Suite(.serialized) struct `A transfer outlives what carries it` {
    private let daemon: DaemonFixture

    init() throws {
        daemon = try DaemonFixture()
    }

    private func slowServer(_ bytes: Int = 6_000_000, rate: Int = 3_000_000) throws -> NginxServer {
        let server = try NginxServer(.init(rateLimit: rate))
        try TestFiles.makeRandom(server.path("file"), bytes: bytes, seed: 11)
        return server
    }

    private func expectWhole(_ server: NginxServer, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(
            try TestFiles.sha256(daemon.path("file")) == TestFiles.sha256(server.path("file")),
            sourceLocation: sourceLocation
        )
        #expect(TestFiles.names(in: daemon.files) == ["file"], "no partial file stays", sourceLocation: sourceLocation)
    }

    @Test func `a download goes on with a range after its daemon was killed`() throws {
        let server = try slowServer()
        defer { server.kill() }
        let id = try daemon.submit("download", server.url("file"))
        try daemon.watchBytes(id, atLeast: 1_500_000)
        try daemon.killDaemon()
        let result = try daemon.wait(id)
        #expect(result.isSuccess, "\(result)")
        try expectWhole(server)
        let entries = try server.waitForEntries("/file", count: 2)
        #expect(entries.map(\.status) == [200, 206])
        #expect(!entries[1].ifRange.isEmpty)
        #expect(entries.reduce(0) { $0 + $1.bytes } < 9_000_000)
        #expect(try daemon.detail(id).history.first?.failure?.code == .daemonInterrupted)
    }

    @Test func `a transfer that waits to be tried again is tried by the next daemon`() throws {
        try daemon.settings(#"{"retryBaseDelay": 2}"#)
        let server = try slowServer(100_000)
        defer { server.kill() }
        server.kill()
        let id = try daemon.submit("download", server.url("file"), "--retry", "9")
        try daemon.watch(id, for: "the first failure") { $0.kind == .waiting }
        try daemon.killDaemon()
        try server.start()
        try daemon.startOnDemand()
        // Only its own alarm may wake the new daemon: no other command until the server has received the request.
        #expect(try server.waitForEntries("/file", count: 1).map(\.status) == [200])
        #expect(try daemon.wait(id).isSuccess)
        try expectWhole(server)
    }

    @Test func `a download survives five deaths of its daemon`() throws {
        let server = try slowServer(8_000_000, rate: 4_000_000)
        defer { server.kill() }
        let id = try daemon.submit("download", server.url("file"))
        for part in 1...5 {
            try daemon.watchBytes(id, atLeast: Int64(part) * 1_000_000)
            try daemon.killDaemon()
            try daemon.startOnDemand()
        }
        #expect(try daemon.wait(id).isSuccess)
        try expectWhole(server)
        #expect(try server.entries().reduce(0) { $0 + $1.bytes } < 16_000_000)
    }

    @Test func `the death of the command changes nothing`() throws {
        let server = try slowServer()
        defer { server.kill() }
        let command = try daemon.start(["download", server.url("file")])
        let id = try eventually("the transfer is on record") { try daemon.json("list").transfers[0].id.integer }
        try daemon.watchBytes(id, atLeast: 1_500_000)
        command.kill(SIGKILL)
        #expect(try command.exitStatus() == .signalled(SIGKILL))
        #expect(try daemon.wait(id).isSuccess)
        try expectWhole(server)
        #expect(try server.waitForEntries("/file", count: 1).map(\.status) == [200])
    }

    @Test func `Ctrl-C only detaches and says so`() throws {
        let server = try slowServer(3_000_000)
        defer { server.kill() }
        let command = try daemon.start(["download", server.url("file")])
        let id = try eventually("the transfer is on record") { try daemon.json("list").transfers[0].id.integer }
        try daemon.watchBytes(id, atLeast: 500_000)
        command.kill(SIGINT)
        let result = try command.result()
        #expect(result.code == 130)
        #expect((result.output + result.errors).contains("background"))
        #expect(try daemon.wait(id).isSuccess)
        try expectWhole(server)
    }

    @Test func `an upload whose daemon was killed begins again at byte 0 and says so`() throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.script("/up", .readsSlowly(1_000_000), .status(201))
        let file = try daemon.makeFile("big", bytes: 3_000_000)
        let id = try daemon.submit("upload", "big", server.url("/up"))
        // The kernel's buffers take the first bytes at once, so only the bytes that the server has read count.
        try server.waitForUpload("/up", bytes: 1_500_000)
        try daemon.killDaemon()
        let result = try daemon.wait(id)
        #expect(result.isSuccess, "\(result)")
        let requests = server.requests("/up")
        #expect(requests.count == 2)
        #expect(try TestFiles.sha256(of: requests[1].body) == file.sha256)
        let history = try daemon.detail(id).history
        #expect(history.map(\.fromByte) == [0, 0])
        #expect(history.first?.failure?.code == .daemonInterrupted)
        let shown = try daemon.run("show", "\(id)").output
        #expect(shown.contains("bytes 0 to 3000000"), "\(shown)")
    }

    @Test func `a clean stop is clean and the transfer goes on later`() throws {
        let server = try slowServer()
        defer { server.kill() }
        let process = try daemon.startDaemon()
        try eventually("the daemon answers") { try daemon.run("daemon", "status").isSuccess ? true : nil }
        let id = try daemon.submit("download", server.url("file"))
        try daemon.watchBytes(id, atLeast: 1_500_000)
        process.kill(SIGTERM)
        let ended = try process.result()
        #expect(ended.status == .exited(0), "\(ended)")
        #expect(!TestFiles.exists(daemon.socketPath))
        #expect(try daemon.wait(id).isSuccess)
        try expectWhole(server)
        #expect(try server.entries().map(\.status) == [200, 206])
    }

    @Test func `a server that dies and comes back is found again`() throws {
        let server = try slowServer()
        defer { server.kill() }
        let id = try daemon.submit("download", server.url("file"))
        try daemon.watchBytes(id, atLeast: 1_500_000)
        server.kill()
        try daemon.watch(id, for: "waiting to try again") { $0.kind == .waiting }
        let why = try daemon.run("why", "\(id)")
        #expect(why.isSuccess, "\(why)")
        try server.start()
        #expect(try daemon.wait(id).isSuccess)
        try expectWhole(server)
    }

    @Test func `none of many transfers is lost or done twice when the daemon dies among them`() throws {
        let server = try NginxServer()
        defer { server.kill() }
        var names: [String] = []
        for number in 0..<40 {
            names.append("n\(number)")
            try TestFiles.makeRandom(daemon.path("n\(number)"), bytes: 200_000, seed: UInt64(number + 1))
        }
        let submitted = try daemon.run(["upload"] + names + [server.url("in/"), "--detach", "--limit-rate", "400k"])
        let ids = submitted.lines.compactMap { Int($0) }
        #expect(ids.count == 40, "\(submitted)")
        try eventually("some have arrived") { TestFiles.names(in: server.path("in")).count >= 3 ? true : nil }
        try daemon.killDaemon()
        let result = try daemon.run(["wait"] + ids.map { "\($0)" })
        #expect(result.isSuccess, "\(result)")
        for name in names {
            #expect(try TestFiles.read(server.path("in/\(name)")) == TestFiles.read(daemon.path(name)))
        }
        let rows = try daemon.json("list").transfers.array
        #expect(rows.count == 40)
        #expect(rows.allSatisfy { $0.result.string == "completed" })
    }
}
