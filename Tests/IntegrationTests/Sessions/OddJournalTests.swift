// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite(.serialized) struct `A journal that is none stops nobody` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        try daemon.startOnDemand()
    }

    private var folder: String { daemon.home + "/journals" }

    private func opened() throws -> SessionClient {
        let client = try SessionClient(daemon)
        _ = try client.send(OpenSession(identifier: "s"))
        return client
    }

    private var notices: String {
        get throws { try daemon.json("daemon", "status").notices.array.compactMap(\.string).joined(separator: "\n") }
    }

    /// Leaves a journal that the daemon knows of, and replaces it before the next daemon starts.
    private func replaceJournal(_ make: (String) throws -> Void) throws {
        let client = try opened()
        try daemon.killDaemon()
        let name = try #require(TestFiles.names(in: folder).first)
        client.hangUp()
        #expect(unlink(folder + "/" + name) == 0)
        try make(folder + "/" + name)
        try daemon.startOnDemand()
    }

    private func expectHandOver() throws {
        let file = try daemon.makeFile("a", bytes: 10)
        server.script("/1", .status(200))
        let client = try opened()
        try client.handOver(.submit(client.upload(1, file.path, to: server.url("/1"))))
        try server.waitForRequests("/1", count: 1)
    }

    @Test func `a pipe in its place`() throws {
        try replaceJournal { #expect(mkfifo($0, 0o600) == 0) }
        try expectHandOver()
        #expect(try notices.contains("not a regular file"))
    }

    @Test func `a folder in its place`() throws {
        try replaceJournal { #expect(mkdir($0, 0o700) == 0) }
        try expectHandOver()
        #expect(try notices.contains("not a regular file"))
    }

    @Test func `a link in its place`() throws {
        try TestFiles.write("content", to: daemon.path("elsewhere"))
        try replaceJournal { #expect(symlink(daemon.path("elsewhere"), $0) == 0) }
        try expectHandOver()
        #expect(try notices.contains("it is a link"))
        #expect(try TestFiles.text(daemon.path("elsewhere")) == "content")
    }

    @Test func `a file of terabytes without content in its place`() throws {
        try replaceJournal { path in
            try TestFiles.write("", to: path)
            #expect(truncate(path, 1 << 40) == 0)
        }
        try expectHandOver()
        #expect(try notices.contains("holds more than"))
    }

    @Test func `a file of zeros in its place`() throws {
        try replaceJournal { path in
            try TestFiles.write("", to: path)
            #expect(truncate(path, 64 << 20) == 0)
        }
        try expectHandOver()
        #expect(try notices.contains("too much of it is damaged"))
    }

    @Test func `a record of an unknown kind, and one that was cut off, hide nothing behind them`() throws {
        let file = try daemon.makeFile("a", bytes: 10)
        for task in 1...3 { server.script("/\(task)", .status(200)) }
        let client = try opened()
        func record(_ task: Int, _ sequence: UInt64) throws -> [UInt8] {
            let entry = try JournalEntry.submit(client.upload(task, file.path, to: server.url("/\(task)")))
            return try JournalRecord(entry, sequence: sequence).encoded()
        }
        var unknown = try record(9, 2)
        unknown[4] = 99
        client.append(bytes: try record(1, 1) + unknown + record(2, 3))
        client.append(bytes: Array(try record(8, 4).dropLast(5)))
        client.append(bytes: try record(3, 5))
        try client.ring()
        try client.waitForCommit(of: 5)
        try server.waitForRequests(count: 3)
        let refused = try client.event("the refusal") { if case .refused(let key, _) = $0 { key } else { nil } }
        #expect(refused.task == 9)
        #expect(daemon.log.contains("unknown kind 99"))
        #expect(daemon.log.contains("not a complete record"))
        #expect(try notices.contains("not a complete record"))
    }

    @Test func `numbers as high as can be are damage, and what follows is taken in`() throws {
        let file = try daemon.makeFile("a", bytes: 10)
        for task in 1...2 { server.script("/\(task)", .status(200)) }
        let client = try opened()
        func record(_ task: Int, _ sequence: UInt64) throws -> [UInt8] {
            let entry = try JournalEntry.submit(client.upload(task, file.path, to: server.url("/\(task)")))
            return try JournalRecord(entry, sequence: sequence).encoded()
        }
        client.append(
            bytes: try record(1, 1) + record(7, .max) + record(8, UInt64(Int64.max)) + record(9, 1 << 50) + record(2, 2)
        )
        try client.ring()
        try client.waitForCommit(of: 2)
        try server.waitForRequests(count: 2)
    }

    @Test func `a journal full of nonsense makes few lines in the log`() throws {
        let client = try opened()
        var bytes: [UInt8] = []
        for number in 1...20_000 {
            bytes += JournalRecord(kind: .entry, sequence: UInt64(number), json: Array("{}".utf8)).encoded()
        }
        client.append(bytes: bytes)
        try client.ring()
        try client.waitForCommit(of: 20_000)
        #expect(daemon.log.utf8.count < 64 << 10)
        #expect(daemon.log.split(separator: "\n").count { $0.contains("cannot be accepted") } <= 20)
        #expect(try notices.contains("20000 times"))
    }
}
