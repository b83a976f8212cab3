// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

/// The one link of an app to a peer that answers as each test specifies.
@Suite struct AppLinkTests {
    /// Records its notifications.
    private final class NotedUser: LinkUser {
        let eventName: String
        let wantsLink: Bool
        let notes = Monitor<[String]>([])
        private let role: Bool

        init(_ eventName: String, wantsLink: Bool = true, asks role: Bool = false) {
            (self.eventName, self.wantsLink, self.role) = (eventName, wantsLink, role)
        }

        private func note(_ text: String) { notes.withLock { $0.append(text) } }

        func attend() {}

        func linked(_ line: LinkLine) {
            note("linked")
            guard role else { return }
            // Any request can serve as a role here.
            line.open(PendingTasks()) { [weak self] result in
                switch result {
                case .success: self?.note("has its role")
                case .failure(let error): self?.note(error.code == .connectionLost ? "lost" : "refused")
                }
            }
        }

        func linkLost() { note("link lost") }
        func linkFailed(_ error: OffstageError, isTold: Bool) { note(isTold ? "failed, told" : "failed") }
        func received(_ event: WireFrame) { note("event \(String(decoding: event.payload, as: UTF8.self))") }
        func flushed() {}

        func wait(for text: String, times: Int = 1) throws {
            let found = notes.wait(TimeLimit(seconds: 20)) { notes in
                notes.count { $0 == text } >= times ? true : nil
            }
            guard found != nil else { throw TestError("Not told '\(text)': \(notes.withLock { $0 })") }
        }
    }

    private let directory: TemporaryDirectory
    private let link: AppLink

    init() throws {
        directory = try TemporaryDirectory()
        link = AppLink.shared(["OFFSTAGE_HOME": directory.path("h"), "OFFSTAGED": "/nowhere/offstaged"])
    }

    private func peer(_ script: @escaping ScriptedPeer.Script) throws -> ScriptedPeer {
        try ScriptedPeer(home: directory.path("h")) { connection, name, payload in
            name == Hello.name ? try ScriptedPeer.hello() : try script(connection, name, payload)
        }
    }

    private static func event(_ name: String, _ text: String) -> ScriptedPeer.Step {
        .raw(WireFrame(kind: .event, exchange: 0, name: name, payload: Array(text.utf8)).encoded())
    }

    private static func rules(_ identifier: String) throws -> [UInt8] {
        try WireCoding.encode(
            TaskRules.Reply(app: "app", permittedIdentifiers: [identifier], backgroundModes: [], candidates: [])
        )
    }

    @Test func `two threads ask over one connection, and the answer that comes last is the first one's`() throws {
        let peer = try peer { _, name, _ in
            name == TaskRules.name
                ? [.replyLater(try Self.rules("first"))] : [try ScriptedPeer.reply(PendingTasks.Reply(drafts: []))]
        }
        let first = Monitor<[String]?>(nil)
        let link = link
        try TestThread.start {
            let reply = try? link.ask(TaskRules(), within: 20)
            first.withLock { $0 = reply?.permittedIdentifiers ?? [] }
        }
        // Waits until the first is on its way.
        try eventually("the first has come") { peer.requests.contains(TaskRules.name) ? true : nil }
        #expect(try link.ask(PendingTasks(), within: 20).drafts.isEmpty)
        #expect(first.wait(TimeLimit(seconds: 20)) { $0 } == ["first"])
        #expect(peer.requests == ["hello", TaskRules.name, PendingTasks.name])
    }

    @Test func `an answer that comes too late is nobody's, and the connection goes on`() throws {
        let peer = try peer { _, name, _ in
            name == TaskRules.name
                ? [.replyLater(try Self.rules("late"))] : [try ScriptedPeer.reply(PendingTasks.Reply(drafts: []))]
        }
        let error = #expect(throws: OffstageError.self) { _ = try link.ask(TaskRules(), within: 0.1) }
        #expect(error?.code == .timedOut)
        for _ in 0..<2 { #expect(try link.ask(PendingTasks(), within: 20).drafts.isEmpty) }
        #expect(peer.requests == ["hello", TaskRules.name, PendingTasks.name, PendingTasks.name])
    }

    @Test(arguments: [true, false])
    func `a question whose connection breaks is asked once more, as it is to be repeated`(refuses: Bool) throws {
        let peer = try peer { connection, _, payload in
            guard connection > 1 else {
                return refuses ? [.refuse(WireFailure(.shuttingDown, "It stops.")), .close] : [.close]
            }
            return [.reply(payload)]
        }
        let second = try link.ask(Echo(text: "first"), again: Echo(text: "again"), within: 20)
        #expect(second.text == "again")
        #expect(peer.requests == ["hello", Echo.name, "hello", Echo.name])
    }

    @Test func `the link goes on reading while the other end takes nothing`() throws {
        // The peer answers one request before it reads the next: neither fits into the socket.
        let peer = try peer { _, _, payload in [.reply(payload)] }
        let link = link
        let lengths = Monitor<[Int]>([])
        for number in 1...4 {
            try TestThread.start {
                let text = String(repeating: "x", count: 2_000_000 + number)
                let reply = try? link.ask(Echo(text: text), within: 60)
                lengths.withLock { $0.append(reply?.text.utf8.count ?? 0) }
            }
        }
        let all = lengths.wait(TimeLimit(seconds: 60)) { $0.count == 4 ? $0.sorted() : nil }
        #expect(all == [2_000_001, 2_000_002, 2_000_003, 2_000_004])
        #expect(peer.requests.count { $0 == Hello.name } == 1)
    }

    @Test func `a question that no connection outlives fails`() throws {
        let peer = try peer { _, _, _ in [.close] }
        let error = #expect(throws: OffstageError.self) { _ = try link.ask(Echo(text: "x"), within: 20) }
        #expect(error?.code == .connectionLost)
        #expect(peer.requests == ["hello", Echo.name, "hello", Echo.name])
    }

    @Test func `a refusal is the caller's alone`() throws {
        let peer = try peer { _, name, payload in
            name == Echo.name ? [.reply(payload)] : [.refuse(WireFailure(.badRequest, "Never."))]
        }
        let error = #expect(throws: OffstageError.self) { _ = try link.ask(TaskRules(), within: 20) }
        #expect(error?.description == "Never.")
        #expect(try link.ask(Echo(text: "x"), within: 20).text == "x")
        #expect(peer.requests.count { $0 == Hello.name } == 1)
    }

    @Test func `without a daemon whoever starts none hears so at once, and who would start one why it cannot`() throws {
        let none = #expect(throws: OffstageError.self) {
            _ = try link.ask(TaskRules(), within: 20, startsDaemon: false)
        }
        #expect(none?.code == .daemonUnreachable)
        let unfound = #expect(throws: OffstageError.self) { _ = try link.ask(TaskRules(), within: 20) }
        #expect(unfound?.code == .daemonNotFound)
    }

    @Test func `users share a connection, get the events of their name, and are linked anew when it breaks`() throws {
        let peer = try peer { connection, name, payload in
            switch name {
            case PendingTasks.name: return [try ScriptedPeer.reply(PendingTasks.Reply(drafts: []))]
            case TaskRules.name: return [.close]
            default:
                return [
                    Self.event(SessionEvent.name, "1"), Self.event(StageCommand.name, "2"),
                    Self.event("weather", "3"), .reply(payload),
                ]
            }
        }
        let (a, b) = (NotedUser(SessionEvent.name, asks: true), NotedUser(StageCommand.name, wantsLink: false))
        link.add(a)
        link.add(b)
        try a.wait(for: "has its role")
        _ = try link.ask(Echo(text: "x"), within: 20)
        try b.wait(for: "event 2")
        let error = #expect(throws: OffstageError.self) { _ = try link.ask(TaskRules(), within: 20) }
        #expect(error?.code == .connectionLost)
        try a.wait(for: "has its role", times: 3)
        let role = ["linked", "has its role"]
        #expect(a.notes.withLock { $0 } == role + ["event 1", "link lost"] + role + ["link lost"] + role)
        #expect(b.notes.withLock { $0.contains("event 1") } == false)
        #expect(peer.requests.count { $0 == Hello.name } == 3)
    }

    @Test func `a daemon that dies whenever a role is asked for is a try that failed`() throws {
        let peer = try peer { connection, _, _ in
            connection < 4 ? [.close] : [try ScriptedPeer.reply(PendingTasks.Reply(drafts: []))]
        }
        let user = NotedUser(SessionEvent.name, asks: true)
        link.add(user)
        try user.wait(for: "has its role")
        let failed = ["linked", "link lost", "lost", "failed"]
        #expect(user.notes.withLock { $0 } == failed + failed + failed + ["linked", "has its role"])
        #expect(peer.requests.count { $0 == Hello.name } == 4)
    }
}

/// A request whose answer is the request itself.
private struct Echo: WireRequest, Equatable {
    typealias Reply = Echo
    static let name = "echo"
    var text: String
}
