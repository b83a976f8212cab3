// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// The session events of an app that the daemon stops and wakes, frame by frame: the test uses connections of the app's
/// process, and can read while that process is stopped.
@Suite(.serialized) struct `An app that is called for its sessions` {
    private let daemon: DaemonFixture
    private let server: FaultServer
    /// Holds the answers.
    private let gate = FaultGate()
    private let launches = Launches()

    /// Processes that end with the test, and not before.
    private final class Launches {
        var processes: [ChildProcess] = []
    }

    init() throws {
        daemon = try DaemonFixture(settings: #"{"connectionsPerHost": 64, "maximumRunning": 64}"#)
        server = try FaultServer()
        server.script("/up", .held(gate, then: .status(201)))
    }

    /// A foreground app that calls the completion handler on request, or at once.
    private func launched(keepsEvents: Bool = true) throws -> WiredApp {
        let app = try WiredApp(daemon, flags: keepsEvents ? "keepsEvents" : "", bundle: "org.example.wired")
        launches.processes.append(try app.open())
        return app
    }

    /// Another process of the same program that is not on stage.
    private func helping() throws -> WiredApp {
        let helper = try WiredApp(daemon, name: "helper", flags: "helper", bundle: "org.example.wired")
        launches.processes.append(try helper.start())
        return helper
    }

    /// The library's side of the app's sessions.
    private func client(_ app: WiredApp, _ sessions: String...) throws -> SessionClient {
        let client = try SessionClient(connection: try app.connection())
        for session in sessions { _ = try client.send(OpenSession(identifier: session)) }
        return client
    }

    private func upload(
        _ client: SessionClient,
        _ numbers: ClosedRange<Int>,
        session: String = "s",
        to path: String = "/up",
        _ change: (inout TransferSpec) -> Void = { _ in }
    ) throws {
        for number in numbers {
            let file = try daemon.makeFile("\(session)-\(number)", bytes: 10).path
            var spec = try client.upload(number, file, to: server.url(path), session: session)
            change(&spec)
            try client.append([.submit(spec)])
        }
        try client.ring()
        try client.waitForCommit(of: client.sequence)
    }

    private func stop(_ app: WiredApp) throws {
        try app.act(.background)
        try app.waitUntilStopped()
    }

    private func released(_ client: SessionClient, _ session: String = "s") throws {
        _ = try client.event("the word that nothing is withheld") { $0 == .missed(session: session) ? true : nil }
    }

    private func ends(_ client: SessionClient, _ session: String = "s") throws -> [SessionTaskEnd] {
        try client.send(ListPendingEnds(identifier: session, after: nil)).ends
    }

    @Test func `what ends while it is stopped is kept back until it was called, once for forty`() throws {
        let app = try launched()
        let client = try client(app, "s")
        try upload(client, 1...40)
        try server.waitForRequests("/up", count: 40)
        try stop(app)
        #expect(try client.send(OpenSession(identifier: "s")).isWithheld == true)
        #expect(try client.send(ListPendingEnds(identifier: "s", after: nil)).isWithheld == true)
        gate.open()
        try app.line("handleEvents s")
        try released(client)
        #expect(client.heardEnds.isEmpty)
        let ends = try ends(client)
        #expect(ends.count == 40)
        try client.handOver(.acknowledge(ends[0].id))
        for end in ends.dropFirst() { try client.append([.acknowledge(end.id)]) }
        try client.ring()
        try client.waitForCommit(of: client.sequence)
        try app.order("handled s")
        try app.waitUntilStopped()
        #expect(app.texts.count { $0 == "handleEvents s" } == 1)
        try app.entry("that it has handled them") { $0 == .handledEvents(session: "s") ? true : nil }
        #expect(try app.story().count { $0 == .woken(.sessionEvents("s")) } == 1)
    }

    @Test func `in front it is told of each end as it comes, and not called`() throws {
        let app = try launched()
        let client = try client(app, "s")
        gate.open()
        try upload(client, 1...3)
        for task in 1...3 { try client.handOver(.acknowledge(try client.end(of: task).id)) }
        try stop(app)
        try app.act(.foreground, waits: true)
        #expect(!app.texts.contains("handleEvents s"))
    }

    @Test func `a session without launch events wakes nobody, and one with them does`() throws {
        let app = try launched()
        let client = try client(app, "s", "silent")
        server.script("/silent", .status(200))
        server.script("/first", .held(gate, then: .status(200)))
        try upload(client, 1...1, to: "/first")
        try server.waitForRequests("/first", count: 1)
        try upload(client, 1...2, session: "silent") { $0.sendsLaunchEvents = false }
        try server.waitForRequests("/up", count: 2)
        try stop(app)
        gate.open()
        try app.line("handleEvents s")
        try released(client)
        try client.handOver(.acknowledge(try #require(try ends(client).first).id))
        try app.order("handled s")
        try app.waitUntilStopped()
        try eventually("all have ended") {
            try daemon.json("list").counts.finished.integer == 3 ? true : nil
        }
        #expect(try client.send(OpenSession(identifier: "silent")).isWithheld == true)
        try app.act(.foreground, waits: true)
        try released(client, "silent")
        #expect(try ends(client, "silent").count == 2)
        #expect(app.texts.count { $0.hasPrefix("handleEvents") } == 1)
    }

    @Test func `a challenge calls a stopped app, and is asked before it may fetch what has ended`() throws {
        let gate = gate
        server.script(
            "/private",
            FaultAnswer { exchange in
                try exchange.readBody()
                if exchange.request.headers["Authorization"] != nil { return try exchange.respond(200) }
                try exchange.wait(for: gate)
                try exchange.respond(401, [HeaderField(name: "WWW-Authenticate", value: "Basic realm=\"r\"")])
            }
        )
        let app = try launched()
        let client = try client(app, "s")
        let later = FaultGate()
        server.script("/later", .held(later, then: .status(200)))
        try upload(client, 2...2, to: "/later")
        try upload(client, 1...1, to: "/private")
        try server.waitForRequests("/private", count: 1)
        try stop(app)
        gate.open()
        try app.line("handleEvents s")
        var isReleased = false
        let id = try client.event("the question") { event -> TransferID? in
            if event == .missed(session: "s") { isReleased = true }
            if case .question(let id, _, .challenge) = event { return id }
            return nil
        }
        #expect(!isReleased)
        try released(client)
        try client.handOver(.answer(id, .credential(user: "u", password: "p")))
        #expect(try client.end(of: 1).outcome.answer?.status == 200)
        try app.order("handled s")
        try app.waitUntilStopped()
        // The session's last task is independent of it.
        later.open()
        try eventually("it is called again") { app.texts.count { $0 == "handleEvents s" } == 2 ? true : nil }
    }

    @Test func `a daemon that starts anew calls for what the one before called for in vain`() throws {
        let app = try launched()
        let client = try client(app, "s")
        try upload(client, 1...2)
        try server.waitForRequests("/up", count: 2)
        try stop(app)
        gate.open()
        try app.line("handleEvents s")
        let process = try ForeignProcess(try app.processID())
        try daemon.killDaemon()
        try process.send(SIGKILL)
        try process.awaitEnd()
        client.hangUp()
        let before = app.lines.count
        try daemon.startOnDemand()
        try app.line("attached sessionEvents s", after: before)
        try app.line("handleEvents s", after: before)
        // Its state of the session from before the call would be of no use.
        let second = try self.client(app, "s")
        let ends = try ends(second)
        #expect(ends.count == 2)
        try second.handOver(.acknowledge(ends[0].id), .acknowledge(ends[1].id))
        try app.order("handled s")
        try app.waitUntilStopped()
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try app.wait(for: .suspended)
        #expect(app.texts.count { $0 == "handleEvents s" } == 2)
    }

    @Test func `swiped away all that it handed over is cancelled, what nobody has read yet too`() throws {
        let app = try launched()
        let client = try client(app, "s", "t")
        try upload(client, 1...2)
        try upload(client, 1...1, session: "t")
        try server.waitForRequests("/up", count: 3)
        let file = try daemon.makeFile("file", bytes: 10).path
        try client.append([.submit(client.upload(3, file, to: server.url("/up")))])
        let process = try ForeignProcess(try app.processID())
        // The daemon may have read the third task of 's' by then, although no client has rung.
        let count = try app.act(.quit(keepsTransfers: false), waits: true).cancelledTransfers
        #expect(count == 3 || count == 4)
        try process.awaitEnd()
        client.hangUp()
        try eventually("all are cancelled") {
            try daemon.json("list", "--state", "cancelled").transfers.array.count == 4 ? true : nil
        }
        gate.open()
        launches.processes.append(try app.open())
        let second = try self.client(app, "s")
        #expect(try ends(second).map(\.outcome) == [.cancelledByQuit, .cancelledByQuit, .cancelledByQuit])
        #expect(!app.texts.contains { $0.hasPrefix("handleEvents") })
    }

    @Test func `swiped away it cancels nothing that is handed over afterwards, whichever process ends when`() throws {
        let app = try launched()
        let helper = try helping()
        let first = try client(app, "s")
        let aside = try client(helper, "h")
        try upload(first, 1...2)
        try upload(aside, 1...1, session: "h")
        try server.waitForRequests("/up", count: 3)
        // The daemon may have read the third task of 's' by then, although no client has rung.
        let count = try app.act(.quit(keepsTransfers: false), waits: true).cancelledTransfers
        #expect(count == 3 || count == 4)
        try app.waitUntilGone()
        first.hangUp()
        launches.processes.append(try app.open())
        server.script("/later", .held(gate, then: .status(201)))
        let second = try client(app, "s")
        try upload(second, 11...12, to: "/later")
        let file = try daemon.makeFile("file", bytes: 10).path
        try aside.append([.submit(aside.upload(2, file, to: server.url("/later"), session: "h"))])
        try helper.order("exit 0")
        try helper.waitUntilGone()
        aside.hangUp()
        // A session is opened only when all remaining records have been accepted.
        try server.waitForRequests("/later", count: 3)
        _ = try second.send(OpenSession(identifier: "x"))
        gate.open()
        for task in 11...12 { #expect(try second.end(of: task).outcome.answer?.status == 201) }
        try eventually("the helper's last upload has ended") {
            try daemon.json("list", "--state", "completed").transfers.array.count == 3 ? true : nil
        }
        #expect(try daemon.json("list", "--state", "cancelled").transfers.array.count == 3)
    }

    @Test func `what a person has quit the next daemon cancels, what still lies in a journal too`() throws {
        let app = try WiredApp(daemon, flags: "keepsEvents", "staysAtTerminate", bundle: "org.example.wired")
        launches.processes.append(try app.open())
        let client = try client(app, "s")
        try upload(client, 1...1)
        try server.waitForRequests("/up", count: 1)
        let file = try daemon.makeFile("file", bytes: 10).path
        try client.append([.submit(client.upload(2, file, to: server.url("/up")))])
        #expect(try app.act(.quit(keepsTransfers: false)).cancelledTransfers == 1)
        try daemon.killDaemon()
        client.hangUp()
        try daemon.startOnDemand()
        try app.waitUntilGone()
        try eventually("all are cancelled") {
            try daemon.json("list", "--state", "cancelled").transfers.array.count == 2 ? true : nil
        }
    }

    @Test func `what was handled before it was sent is told, and the next daemon calls for it`() throws {
        let app = try launched(keepsEvents: false)
        let client = try client(app, "s")
        try upload(client, 1...1)
        try server.waitForRequests("/up", count: 1)
        try stop(app)
        gate.open()
        try app.line("handled s")
        try released(client)
        try app.waitUntilStopped()
        try app.entry("that it has handled them") { $0 == .handledEvents(session: "s") ? true : nil }
        let process = try ForeignProcess(try app.processID())
        try daemon.killDaemon()
        try process.send(SIGKILL)
        try process.awaitEnd()
        client.hangUp()
        let before = app.lines.count
        try daemon.startOnDemand()
        try app.line("handleEvents s", after: before)
    }

    @Test func `what ends while it handles the rest is called for by the next daemon, too`() throws {
        let app = try launched()
        let client = try client(app, "s")
        try upload(client, 1...1)
        try server.waitForRequests("/up", count: 1)
        try stop(app)
        gate.open()
        try app.line("handleEvents s")
        try released(client)
        try client.handOver(.acknowledge(try #require(try ends(client).first).id))
        try upload(client, 2...2)
        _ = try client.end(of: 2)
        try app.order("handled s")
        try eventually("it is called again") { app.texts.count { $0 == "handleEvents s" } == 2 ? true : nil }
        let process = try ForeignProcess(try app.processID())
        try daemon.killDaemon()
        try process.send(SIGKILL)
        try process.awaitEnd()
        client.hangUp()
        let before = app.lines.count
        try daemon.startOnDemand()
        try app.line("handleEvents s", after: before)
    }

    @Test func `another process of its program hears of its session while the app is stopped`() throws {
        let app = try launched()
        let aside = try client(try helping(), "h")
        try upload(aside, 1...1, session: "h")
        try server.waitForRequests("/up", count: 1)
        try stop(app)
        gate.open()
        #expect(try aside.end(of: 1, in: "h").outcome.answer?.status == 201)
    }
}
