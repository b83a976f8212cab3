// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite(.serialized) struct `What was handed over happens` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        try daemon.startOnDemand()
    }

    private var journals: [String] { TestFiles.names(in: daemon.home + "/journals") }

    private func opened() throws -> SessionClient {
        let client = try SessionClient(daemon)
        _ = try client.send(OpenSession(identifier: "s"))
        return client
    }

    @Test func `although the daemon was killed before it was told`() throws {
        let file = try daemon.makeFile("a", bytes: 10)
        let client = try opened()
        for task in 1...20 {
            server.script("/\(task)", .status(200))
            try client.append([.submit(client.upload(task, file.path, to: server.url("/\(task)")))])
        }
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try server.waitForRequests(count: 20)
        #expect(Set(server.requests.map(\.path)).count == 20)
        try eventually("the old journal is gone") { journals.isEmpty ? true : nil }
        // A process that still has the sealed journal notices.
        #expect(try !client.append([.cancelAll(session: "s")]))
    }

    @Test func `once, although the daemon was killed again and again`() throws {
        let file = try daemon.makeFile("a", bytes: 10)
        var client = try opened()
        for round in 0..<5 {
            for task in round * 10 + 1...round * 10 + 10 {
                server.script("/\(task)", .status(200))
                try client.append([.submit(client.upload(task, file.path, to: server.url("/\(task)")))])
            }
            try client.ring()
            try daemon.killDaemon()
            try daemon.startOnDemand()
            client.hangUp()
            client = try opened()
        }
        var ends: Set<Int> = []
        try eventually("all ends") {
            var after: TransferID?
            while true {
                let page = try client.send(ListPendingEnds(identifier: "s", after: after))
                ends.formUnion(page.ends.map(\.key.task))
                after = page.ends.last?.id
                if !page.hasMore { break }
            }
            return ends.count == 50 ? true : nil
        }
        #expect(ends == Set(1...50))
        let standing = try client.send(OpenSession(identifier: "s"))
        #expect(standing == .init(highestTask: 50, outstanding: 0, pendingEnds: 50, untold: 50))
        #expect(try daemon.json("list", "--all").transfers.array.count == 50)
    }

    @Test(.enabled(if: OtherProcess.isThere)) func `although the app was killed without having rung`() throws {
        let file = try daemon.makeFile("a", bytes: 10)
        for task in 1...10 { server.script("/\(task)", .status(200)) }
        let app = try OtherProcess(daemon, uploads: 10, file: file.path, url: server.url("/"))
        #expect(try app.word() == "ready")
        #expect(server.requests.isEmpty)
        try app.kill()
        try server.waitForRequests(count: 10)
        try eventually("the journal is gone") { journals.isEmpty ? true : nil }
    }

    @Test(.enabled(if: OtherProcess.isThere)) func `although app and daemon were killed at once`() throws {
        let file = try daemon.makeFile("a", bytes: 10)
        for task in 1...10 { server.script("/\(task)", .status(200)) }
        let app = try OtherProcess(daemon, uploads: 10, file: file.path, url: server.url("/"))
        #expect(try app.word() == "ready")
        try daemon.killDaemon()
        try app.kill()
        try daemon.startOnDemand()
        try server.waitForRequests(count: 10)
    }

    @Test(.enabled(if: OtherProcess.isThere))
    func `one process has a session, the next gets it when that is dead`() throws {
        let first = try OtherProcess(daemon)
        #expect(try first.word() == "ready")
        let second = try OtherProcess(daemon)
        #expect(try second.word() == "inUse")
        // Another app's session of the same name is another session.
        _ = try opened()
        try first.kill()
        let third = try OtherProcess(daemon)
        #expect(try third.word() == "ready")
        try third.kill()
    }

    @Test func `the same process takes its session over with a new connection`() throws {
        let first = try opened()
        let second = try opened()
        #expect(throws: (any Error).self) { try first.send(ListSessionTasks(identifier: "s", after: 0)) }
        #expect(try second.send(ListSessionTasks(identifier: "s", after: 0)).rows.isEmpty)
    }

    @Test func `a reconnection finds everything of the connection before`() throws {
        let file = try daemon.makeFile("a", bytes: 10)
        let first = try opened()
        for task in 1...1200 {
            var spec = try first.upload(task, file.path, to: server.url("/x"))
            spec.earliestBegin = Date(timeIntervalSinceNow: 86_400)
            try first.append([.submit(spec)])
        }
        first.hangUp()
        let second = try opened()
        // Counting stops there.
        #expect(try second.send(OpenSession(identifier: "s")).outstanding == 1000)
        var tasks: [Int] = []
        var sizes: [Int] = []
        while true {
            let page = try second.send(ListSessionTasks(identifier: "s", after: tasks.last ?? 0))
            tasks += page.rows.map(\.task)
            sizes.append(page.rows.count)
            if !page.hasMore { break }
        }
        #expect(tasks == Array(1...1200))
        #expect(sizes == [500, 500, 200])
    }

    @Test func `a reconnection finds everything of a connection that nobody has ended`() throws {
        let file = try daemon.makeFile("a", bytes: 10)
        let first = try opened()
        for task in 1...1200 {
            var spec = try first.upload(task, file.path, to: server.url("/x"))
            spec.earliestBegin = Date(timeIntervalSinceNow: 86_400)
            try first.append([.submit(spec)])
        }
        let second = try opened()
        #expect(try second.send(ListSessionTasks(identifier: "s", after: 1000)).rows.map(\.task) == Array(1001...1200))
        // Nothing can be added to the accepted records, and no one listens at the other end.
        #expect(try !first.append([.cancelAll(session: "s")]))
        #expect(throws: (any Error).self) { try first.send(OpenSession(identifier: "s")) }
    }

    @Test func `a journal that cannot be opened is waited for`() throws {
        let file = try daemon.makeFile("a", bytes: 10)
        server.script("/1", .status(200))
        let client = try opened()
        try client.append([.submit(client.upload(1, file.path, to: server.url("/1")))])
        try daemon.killDaemon()
        let path = daemon.home + "/journals/" + (try #require(journals.first))
        client.hangUp()
        let lease = try FileLease(path)
        try daemon.startOnDemand()
        try eventually("it is said") { daemon.log.contains("cannot be opened") ? true : nil }
        #expect(server.requests.isEmpty)
        lease.end()
        try server.waitForRequests("/1", count: 1)
    }

    @Test func `an end that nobody heard is told at the next opening`() throws {
        let gate = FaultGate()
        server.script("/a", .held(gate, then: .status(204)))
        let file = try daemon.makeFile("a", bytes: 10)
        let first = try opened()
        try first.handOver(.submit(first.upload(1, file.path, to: server.url("/a"))))
        try server.waitForRequests("/a", count: 1)
        first.hangUp()
        gate.open()
        try eventually("it is done") {
            try daemon.json("list", "--all").transfers[0].state.string == "finished" ? true : nil
        }
        try daemon.killDaemon()
        try daemon.startOnDemand()
        let second = try SessionClient(daemon)
        #expect(try second.send(OpenSession(identifier: "s")).pendingEnds == 1)
        let ends = try second.send(ListPendingEnds(identifier: "s", after: nil)).ends
        #expect(ends.map(\.outcome.answer?.status) == [204])
    }

    @Test func `a journal is emptied once all of it is in the store, and goes on`() throws {
        let file = try daemon.makeFile("a", bytes: 10)
        let client = try opened()
        for task in 1...400 {
            var spec = try client.upload(task, file.path, to: server.url("/x"))
            spec.earliestBegin = Date(timeIntervalSinceNow: 86_400)
            try client.append([.submit(spec)])
        }
        #expect(client.journalLength > JournalLife.lengthToEmpty)
        try client.ring()
        try client.waitForCommit(of: 400)
        try eventually("the journal is empty") { client.journalLength == 0 ? true : nil }
        try client.handOver(.act(SessionTaskKey(session: "s", task: 7), .cancel))
        #expect(try client.end(of: 7).outcome == .cancelled)
    }

    @Test func `a record that was cut off is none, and what came before it counts`() throws {
        let file = try daemon.makeFile("a", bytes: 10)
        server.script("/1", .status(200))
        let client = try opened()
        try client.append([.submit(client.upload(1, file.path, to: server.url("/1")))])
        let torn = try JournalRecord(.submit(client.upload(2, file.path, to: server.url("/2"))), sequence: 2).encoded()
        client.append(bytes: Array(torn.prefix(torn.count / 2)))
        client.hangUp()
        try server.waitForRequests(count: 1)
        try eventually("the journal is gone") { journals.isEmpty ? true : nil }
        #expect(daemon.log.contains("not a complete record"))
    }

    @Test func `a spooled body is kept for the task that still lies in a journal, however old it is`() throws {
        server.script("/a", .status(200))
        let client = try opened()
        let body = client.app.spool + "0123456789abcdef"
        try TestFiles.makeRandom(body, bytes: 5000, seed: 3)
        var times = [timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
        try #require(utimes(body, &times) == 0)
        var spec = try client.upload(1, body, to: server.url("/a"))
        if case .upload(var source) = spec.direction {
            source.isSnapshot = true
            spec.direction = .upload(source)
        }
        try client.append([.submit(spec)])
        try daemon.killDaemon()
        try daemon.startOnDemand()
        let request = try server.waitForRequests("/a", count: 1)[0]
        #expect(request.path == "/a")
        try server.waitForUpload("/a", bytes: 5000)
        try eventually("the body is deleted") { TestFiles.names(in: daemon.home + "/snapshots").isEmpty ? true : nil }
    }

    @Test(.enabled(if: OtherProcess.isThere))
    func `a body that was spooled and not handed over goes with its process, not one that was`() throws {
        let client = try opened()
        // No process ever has this ID.
        let prefix = daemon.home + "/snapshots/body-2147483647-1-"
        for name in ["kept", "stray"] { try TestFiles.makeRandom(prefix + name, bytes: 10, seed: 3) }
        let own = client.app.spool + "own"
        try TestFiles.makeRandom(own, bytes: 10, seed: 3)
        var spec = try client.upload(1, prefix + "kept", to: server.url("/a"))
        if case .upload(var source) = spec.direction {
            source.isSnapshot = true
            spec.direction = .upload(source)
        }
        spec.earliestBegin = Date(timeIntervalSinceNow: 86_400)
        try client.handOver(.submit(spec))
        func remaining() -> Set<String> { Set(TestFiles.names(in: daemon.home + "/snapshots")) }
        let left = Set([
            "body-2147483647-1-kept", String(own.dropFirst(daemon.home.utf8.count + "/snapshots/".utf8.count)),
        ])
        let other = try OtherProcess(daemon)
        _ = try other.word()
        try other.kill()
        try eventually("the stray body is deleted") { remaining() == left ? true : nil }
        try TestFiles.makeRandom(prefix + "stray", bytes: 10, seed: 3)
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try eventually("it is deleted by the next daemon") { remaining() == left ? true : nil }
    }

    @Test func `no body of a form that was handed over is taken for one that was not`() throws {
        let client = try opened()
        let prefix = daemon.home + "/snapshots/body-2147483647-1-"
        var spec = try client.upload(1, daemon.makeFile("a", bytes: 10).path, to: server.url("/a"))
        var sources = spec.sources
        for name in ["first", "second", "stray"] {
            try TestFiles.makeRandom(prefix + name, bytes: 10, seed: 3)
            sources += try client.upload(1, prefix + name, to: server.url("/a")).sources
        }
        let parts = sources.dropLast().map { source in
            var source = source
            source.isSnapshot = source.path.hasPrefix(prefix)
            return FormBody.Part(name: "f", content: .file(source), fileName: "f")
        }
        spec.direction = .form(FormBody(parts: parts))
        spec.setContentTypeOfForm()
        spec.earliestBegin = Date(timeIntervalSinceNow: 86_400)
        try client.handOver(.submit(spec))
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try eventually("the stray body is deleted") { TestFiles.exists(prefix + "stray") ? nil : true }
        #expect(TestFiles.exists(prefix + "first") && TestFiles.exists(prefix + "second"))
    }

    @Test func `only an app may ask for sessions`() throws {
        let client = try WireClient.greeted(daemon)
        #expect(throws: WireFailure.self) { try client.send(OpenSession(identifier: "s")) }
        let app = try SessionClient(daemon)
        #expect(throws: WireFailure.self) { try app.send(OpenApp()) }
        #expect(throws: WireFailure.self) { try app.send(OpenSession(identifier: "")) }
        #expect(throws: WireFailure.self) { try app.send(ListPendingEnds(identifier: "s", after: nil)) }
    }

    @Test func `a journal is its user's alone`() throws {
        let client = try opened()
        var status = stat()
        try #require(fstat(client.journal, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        try #require(stat(daemon.home + "/journals", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        #expect(fcntl(client.journal, F_GETFL) & O_APPEND != 0)
    }
}
