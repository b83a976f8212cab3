// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

@Suite(.serialized) struct `A download in pieces` {
    private let daemon: DaemonFixture

    init() throws {
        daemon = try DaemonFixture()
    }

    /// A server that sends so many bytes a second over each connection.
    private func slowServer(_ bytes: Int = 16_000_000, rate: Int = 1_000_000) throws -> NginxServer {
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

    private func bytes(_ server: NginxServer) throws -> Int64 { try server.entries().reduce(0) { $0 + $1.bytes } }

    @Test func `a file comes over several connections at once`() throws {
        let server = try slowServer()
        defer { server.kill() }
        let id = try daemon.submit("download", "--connections", "8", server.url("file"))
        try eventually("it comes over several connections") {
            try daemon.detail(id).row.standing == "fetched over 8 connections" ? true : nil
        }
        let result = try daemon.wait(id)
        #expect(result.isSuccess, "\(result)")
        try expectWhole(server)
        let entries = try server.entries()
        #expect(entries[0].version == "HTTP/1.1")
        #expect(entries.count { $0.status == 200 } == 1)
        #expect(Set(entries.map(\.connection)).count >= 8)
        #expect(entries.filter { $0.status == 206 }.allSatisfy { !$0.ifRange.isEmpty })
        #expect(try bytes(server) < 20_000_000)
        #expect(try daemon.json("show", "\(id)").transfers[0].connection.connections.integer == 8)
        #expect(try daemon.run("show", "\(id)").output.contains("over up to 8 connections at once"))
    }

    @Test func `its pieces outlive the daemon`() throws {
        let server = try slowServer()
        defer { server.kill() }
        let id = try daemon.submit("download", "--connections", "4", server.url("file"))
        for part in 1...3 as ClosedRange<Int64> {
            try daemon.watchBytes(id, atLeast: part * 4_000_000)
            try daemon.killDaemon()
            try daemon.startOnDemand()
            // The last stored progress is at most a second old, at 4 MB a second.
            let row = try daemon.watch(id, for: "the next attempt") { $0.kind == .running && $0.bytesDone > 0 }
            #expect(row.bytesDone >= part * 4_000_000 - 6_000_000)
        }
        let result = try daemon.wait(id)
        #expect(result.isSuccess, "\(result)")
        try expectWhole(server)
        #expect(try bytes(server) < 16_000_000 + 3 * 7_000_000)
        #expect(try server.entries().count { $0.status == 200 } == 1, "the rest is asked for, not the whole")
    }

    @Test func `a pause keeps its pieces`() throws {
        let server = try slowServer()
        defer { server.kill() }
        let id = try daemon.submit("download", "--connections", "4", server.url("file"))
        try daemon.watchBytes(id, atLeast: 6_000_000)
        #expect(try daemon.run("pause", "\(id)").isSuccess)
        #expect(try daemon.watch(id, for: "the pause") { $0.kind == .paused }.bytesDone >= 6_000_000)
        #expect(try daemon.run("resume", "\(id)").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
        try expectWhole(server)
        #expect(try bytes(server) < 20_000_000)
    }

    @Test func `a server that allows two connections gets two`() throws {
        let busy = try FaultServer()
        defer { busy.stop() }
        let file = FaultFile(random: 8_000_000, seed: 3)
        busy.script(
            "/file",
            FaultAnswer {
                // The request itself counts.
                guard busy.active <= 2 else { return try FaultAnswer.busy(503, retryAfter: "1").run($0) }
                try FaultAnswer.file(file, rate: 2_000_000).run($0)
            }
        )
        let result = try daemon.run("download", "--connections", "6", busy.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == file.bytes)
    }

    @Test func `all its connections together keep to the limit`() throws {
        let server = try NginxServer()
        defer { server.kill() }
        try TestFiles.makeRandom(server.path("file"), bytes: 6_000_000, seed: 11)
        let begun = TimeLimit.now
        let options = ["--connections", "4", "--limit-rate", "2M"]
        let result = try daemon.run(["download", server.url("file")] + options)
        #expect(result.isSuccess, "\(result)")
        #expect(TimeLimit.now - begun > 2)
        try expectWhole(server)
    }

    @Test func `each request has a connection of its own, also where HTTP 2 would need one`() throws {
        let certificate = try TestCertificate(in: daemon.directory.path)
        let server = try NginxServer(.init(rateLimit: 2_000_000, certificate: certificate))
        defer { server.kill() }
        try TestFiles.makeRandom(server.path("file"), bytes: 8_000_000, seed: 11)
        let options = ["--connections", "4", "--cacert", certificate.authority]
        let result = try daemon.run(["download", server.url("file")] + options)
        #expect(result.isSuccess, "\(result)")
        try expectWhole(server)
        let entries = try server.waitForEntries("/file", count: 4)
        #expect(entries.allSatisfy { $0.version == "HTTP/1.1" })
        #expect(entries.count { $0.status == 200 } == 1)
        #expect(Set(entries.map(\.connection)).count >= 4)
    }

    @Test func `each request follows a redirect`() throws {
        let server = try FaultServer()
        defer { server.stop() }
        let file = FaultFile(random: 6_000_000, seed: 3)
        server.script("/file", .redirect(to: server.url("/there")))
        server.script("/there", .file(file, rate: 3_000_000))
        let result = try daemon.run("download", "--connections", "3", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == file.bytes)
        #expect(server.requests("/there").count { $0.rangeEnd != nil } >= 2)
    }

    @Test func `a small file is not worth it, and a checksum is checked`() throws {
        let server = try slowServer(1_500_000, rate: 10_000_000)
        defer { server.kill() }
        let sum = try TestFiles.sha256(server.path("file"))
        let options = ["--connections", "16", "--checksum", "sha256:\(sum)"]
        #expect(try daemon.run(["download", server.url("file")] + options).isSuccess)
        try expectWhole(server)
        #expect(try server.entries().map(\.status) == [200])
    }
}
