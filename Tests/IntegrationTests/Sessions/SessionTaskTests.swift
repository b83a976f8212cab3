// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite(.serialized) struct `A session's tasks` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        try daemon.startOnDemand()
    }

    private func key(_ task: Int) -> SessionTaskKey { SessionTaskKey(session: "s", task: task) }

    private func opened() throws -> SessionClient {
        let client = try SessionClient(daemon)
        _ = try client.send(OpenSession(identifier: "s"))
        return client
    }

    @Test func `a task is carried out, and its end is told until it is acknowledged`() throws {
        server.script("/a", .status(201, body: "thanks"))
        let file = try daemon.makeFile("a", bytes: 1000)
        let client = try opened()
        try client.handOver(.submit(client.upload(1, file.path, to: server.url("/a"))))
        let end = try client.end(of: 1)
        #expect(end.outcome.answer?.status == 201)
        #expect(end.outcome.answer.map { String(decoding: $0.bodyStart, as: UTF8.self) } == "thanks")
        #expect(end.bytesDone == 1000)
        let pending = try client.send(ListPendingEnds(identifier: "s", after: nil))
        #expect(pending.ends.map(\.id) == [end.id])
        #expect(pending.ends.first?.spec != nil)
        #expect(!pending.hasMore)
        // An end that the app has not received cannot be forgotten.
        #expect(try !daemon.run("forget", "\(end.id)").isSuccess)
        try client.handOver(.acknowledge(end.id))
        let standing = try client.send(OpenSession(identifier: "s"))
        #expect(standing == .init(highestTask: 1, outstanding: 0, pendingEnds: 0, untold: 0))
        #expect(try daemon.run("forget", "\(end.id)").isSuccess)
        // Its number is still not reused.
        #expect(try client.send(OpenSession(identifier: "s")).highestTask == 1)
    }

    @Test func `a downloaded file lies in the app's folder until the delegate has taken it`() throws {
        let body = FaultFile(random: 300_000, seed: 5)
        server.script("/f", .file(body))
        let client = try opened()
        let spec = try client.download(1, from: server.url("/f"))
        try client.handOver(.submit(spec))
        let end = try client.end(of: 1)
        #expect(try TestFiles.read(spec.path) == body.bytes)
        try client.handOver(.fileTaken(end.id))
        #expect(try client.send(ListPendingEnds(identifier: "s", after: nil)).ends.map(\.isFileTaken) == [true])
        try eventually("the file is deleted") { TestFiles.names(in: client.app.downloads).isEmpty ? true : nil }
        try client.handOver(.acknowledge(end.id))
        #expect(try client.send(ListPendingEnds(identifier: "s", after: nil)).ends.isEmpty)
    }

    @Test func `an app suspends, describes, hurries and cancels what it handed over`() throws {
        let gate = FaultGate()
        server.script("/slow", .held(gate, then: .status(200)))
        let file = try daemon.makeFile("a", bytes: 10)
        let client = try opened()
        var first = try client.upload(1, file.path, to: server.url("/slow"))
        first.connectionsPerHost = 1
        try client.handOver(.submit(first))
        try server.waitForRequests("/slow", count: 1)
        for task in 2...4 {
            var spec = try client.upload(task, file.path, to: server.url("/\(task)"))
            spec.connectionsPerHost = 1
            server.script("/\(task)", .status(200))
            try client.handOver(.submit(spec))
        }
        try client.handOver(
            .setPriority(key(4), 1),
            .setDescription(key(4), "the last shall be first"),
            .act(key(2), .suspend),
            .act(key(3), .cancel)
        )
        #expect(try client.end(of: 3).outcome == .cancelled)
        let rows = try client.send(ListSessionTasks(identifier: "s", after: 0)).rows
        #expect(rows.map(\.task) == [1, 2, 4])
        #expect(rows.map(\.kind)[1] == .paused)
        #expect(rows[2].spec.contains("the last shall be first"))
        gate.open()
        _ = try client.end(of: 4)
        try client.handOver(.act(key(2), .resume))
        _ = try client.end(of: 2)
        #expect(server.requests.map(\.path) == ["/slow", "/4", "/2"])
    }

    @Test func `cancelling all leaves other sessions alone`() throws {
        let client = try opened()
        _ = try client.send(OpenSession(identifier: "other"))
        let file = try daemon.makeFile("a", bytes: 10)
        for (task, session) in [(1, "s"), (2, "s"), (1, "other")] {
            var spec = try client.upload(task, file.path, to: server.url("/x"), session: session)
            spec.earliestBegin = Date(timeIntervalSinceNow: 86_400)
            try client.append([.submit(spec)])
        }
        try client.handOver(.cancelAll(session: "s"))
        #expect(try client.end(of: 1).outcome == .cancelled)
        #expect(try client.end(of: 2).outcome == .cancelled)
        #expect(try client.send(OpenSession(identifier: "other")).outstanding == 1)
    }

    @Test func `what is no task of the app is refused, and the rest goes on`() throws {
        server.script("/a", .status(200))
        let file = try daemon.makeFile("a", bytes: 10)
        let client = try opened()
        var foreign = try client.upload(1, file.path, to: server.url("/a"))
        foreign.owner = "command"
        var outside = try client.download(2, from: server.url("/a"))
        outside.direction = .download(.init(path: daemon.path("stolen")))
        try client.append([.submit(foreign), .submit(outside)])
        client.append(bytes: JournalRecord(kind: .entry, sequence: 3, json: Array("nonsense".utf8)).encoded())
        client.append(bytes: JournalRecord(kind: .submit, sequence: 4, json: Array("{}".utf8)).encoded())
        let good = try JournalRecord(.submit(client.upload(5, file.path, to: server.url("/a"))), sequence: 5)
        client.append(bytes: good.encoded())
        try client.ring()
        for task in 1...2 {
            let key = try client.event("the refusal") { if case .refused(let key, _) = $0 { key } else { nil } }
            #expect(key == self.key(task))
        }
        try client.waitForCommit(of: 5)
        _ = try client.end(of: 5)
        #expect(TestFiles.names(in: daemon.files) == ["a"])
        #expect(daemon.log.contains("cannot be read"))
    }

    @Test func `the app is asked for a name and password, again when it was away`() throws {
        server.script(
            "/private",
            FaultAnswer { exchange in
                try exchange.readBody()
                if exchange.request.headers["Authorization"] == "Basic dTpw" { return try exchange.respond(200) }
                let challenge = HeaderField(name: "WWW-Authenticate", value: "Basic realm=\"r\"")
                try exchange.respond(401, [challenge])
            }
        )
        let file = try daemon.makeFile("a", bytes: 10)
        let first = try opened()
        try first.handOver(.submit(first.upload(1, file.path, to: server.url("/private"))))
        func question(_ client: SessionClient) throws -> (TransferID, Challenge?) {
            try client.event("the question") { event in
                guard case .question(let id, _, .challenge(let challenge)) = event else { return nil }
                return (id, challenge)
            }
        }
        #expect(try question(first).1?.method == .httpBasic)
        first.hangUp()
        try daemon.killDaemon()
        try daemon.startOnDemand()
        let second = try opened()
        let (id, challenge) = try question(second)
        #expect(challenge?.realm == "r")
        try second.handOver(.answer(id, .credential(user: "u", password: "p")))
        #expect(try second.end(of: 1).outcome.answer?.status == 200)
    }

    @Test func `of very many questions some are asked at a time, each once`() throws {
        server.script(
            "/private",
            FaultAnswer { exchange in
                try exchange.readBody()
                if exchange.request.headers["Authorization"] != nil { return try exchange.respond(200) }
                try exchange.respond(401, [HeaderField(name: "WWW-Authenticate", value: "Basic realm=\"r\"")])
            }
        )
        let file = try daemon.makeFile("a", bytes: 10)
        let first = try opened()
        let count = OpenQuestions.limit + 3
        for task in 1...count { try first.append([.submit(first.upload(task, file.path, to: server.url("/private")))]) }
        first.hangUp()
        try server.waitForRequests("/private", count: count)
        let second = try opened()
        func question() throws -> TransferID {
            try second.event("a question") { if case .question(let id, _, _) = $0 { id } else { nil } }
        }
        var asked: [TransferID] = []
        for _ in 1...OpenQuestions.limit { asked.append(try question()) }
        try second.handOver(.setPriority(key(1), 0.7))
        #expect(second.heardQuestions == 0)
        for index in 0..<count {
            if index >= asked.count { asked.append(try question()) }
            try second.handOver(.answer(asked[index], .credential(user: "u", password: "p")))
        }
        #expect(Set(asked).count == count)
        for task in 1...count { #expect(try second.end(of: task).outcome.answer?.status == 200) }
    }

    @Test func `a delayed request begins by itself when its app is not there`() throws {
        server.script("/later", .status(200))
        let file = try daemon.makeFile("a", bytes: 10)
        let client = try opened()
        for task in 1...2 {
            var spec = try client.upload(task, file.path, to: server.url("/later"))
            spec.earliestBegin = Date(timeIntervalSinceNow: 0.2)
            spec.asksBeforeBegin = true
            try client.append([.submit(spec)])
        }
        try client.ring()
        let id = try client.event("a question") { event -> TransferID? in
            if case .question(let id, _, .willBeginDelayedRequest) = event { id } else { nil }
        }
        try client.handOver(.answer(id, .continueLoading))
        try server.waitForRequests("/later", count: 1)
        client.hangUp()
        try server.waitForRequests("/later", count: 2)
    }

    @Test func `what was decided last counts, although nobody is there any more`() throws {
        server.script("/later", .status(200))
        server.script("/other", .status(200))
        let file = try daemon.makeFile("a", bytes: 10)
        let client = try opened()
        var spec = try client.upload(1, file.path, to: server.url("/later"))
        spec.earliestBegin = Date(timeIntervalSinceNow: 0.2)
        spec.asksBeforeBegin = true
        try client.handOver(.submit(spec))
        let id = try client.event("a question") { event -> TransferID? in
            if case .question(let id, _, .willBeginDelayedRequest) = event { id } else { nil }
        }
        let other = try RequestURL(server.url("/other"))
        try client.append([.answer(id, .useNewRequest(url: other, method: "PUT", headers: []))])
        client.hangUp()
        try server.waitForRequests(count: 1)
        #expect(server.requests.map(\.path) == ["/other"])
    }

    @Test func `a download that belongs to nothing is deleted when the daemon starts`() throws {
        server.script("/f", .file(FaultFile(random: 1000, seed: 5)))
        let client = try opened()
        try client.handOver(.submit(client.download(1, from: server.url("/f"))))
        _ = try client.end(of: 1)
        let kept = TestFiles.names(in: client.app.downloads)
        #expect(kept.count == 1)
        try daemon.killDaemon()
        try TestFiles.makeRandom(client.app.downloads + "/CFNetworkDownload_stray.tmp", bytes: 10, seed: 3)
        try daemon.startOnDemand()
        try eventually("it is deleted") { TestFiles.names(in: client.app.downloads) == kept ? true : nil }
    }

    @Test func `a long reply is there until the app has heard of it, whenever the daemon is killed`() throws {
        server.script("/a", .status(200, body: String(repeating: "long ", count: 60_000)))
        let file = try daemon.makeFile("a", bytes: 10)
        let client = try opened()
        try client.handOver(.submit(client.upload(1, file.path, to: server.url("/a"))))
        let end = try client.end(of: 1)
        let path = try #require(end.bodyPath)
        let body = try TestFiles.read(path)
        #expect(body.count == 300_000)
        try daemon.killDaemon()
        try daemon.startOnDemand()
        let second = try opened()
        #expect(try second.send(ListPendingEnds(identifier: "s", after: nil)).ends.map(\.bodyPath) == [path])
        try second.handOver(.acknowledge(end.id))
        try eventually("it is deleted") { TestFiles.exists(path) ? nil : true }
        // As if the daemon had been killed just before.
        try TestFiles.write(String(decoding: body, as: UTF8.self), to: path)
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try eventually("it is deleted") { TestFiles.exists(path) ? nil : true }
    }

    @Test func `the command shows whose they are, and can stop them`() throws {
        let gate = FaultGate()
        server.script("/slow", .held(gate, then: .status(200)))
        let file = try daemon.makeFile("a", bytes: 10)
        let client = try opened()
        try client.handOver(.submit(client.upload(1, file.path, to: server.url("/slow"))))
        try server.waitForRequests("/slow", count: 1)
        let row = try daemon.json("list").transfers[0]
        #expect(row.owner.string == client.app.app)
        let id = try #require(row.id.integer)
        #expect(try daemon.run("why", "\(id)").isSuccess)
        #expect(try daemon.run("pause", "\(id)").isSuccess)
        #expect(try daemon.run("resume", "\(id)").isSuccess)
        #expect(try daemon.run("cancel", "\(id)").isSuccess)
        #expect(try client.end(of: 1).outcome == .cancelled)
        gate.open()
    }
}
