// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageSessions
import OffstageTestSupport
import Testing

/// The engine of background sessions, without a server, a process or a transfer that is carried out.
@Suite struct SessionCenterTests {
    private static let name = SessionName(app: SessionStage.app, identifier: "s")

    private func needs(_ notice: AppNotice, _ stage: SessionStage) throws {
        try eventually("\(notice)") { stage.seen.withLock(\.notices).contains(notice) ? true : nil }
    }

    @Test func `what is handed over is taken in, and the app is told how far`() async throws {
        let stage = try SessionStage()
        let journal = try await stage.connect(1, session: "s")
        for task in 1...3 { try journal.resume(task, of: "s") }
        await stage.center.rung(1)
        try eventually("all is committed") {
            stage.seen.withLock(\.events).contains(.committed(sequence: 3)) ? true : nil
        }
        #expect(try await stage.tasks(of: "s") == [1, 2, 3])
        let standing = try await stage.center.open("s", connection: 1)
        #expect(standing.highestTask == 3)
        #expect(standing.outstanding == 3)
    }

    @Test func `an end goes to whoever has the session, and is there for who makes it later`() async throws {
        let stage = try SessionStage()
        let journal = try await stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        await stage.center.rung(1)
        try eventually("it is committed") {
            stage.seen.withLock(\.events).contains(.committed(sequence: 1)) ? true : nil
        }
        let key = SessionTaskKey(session: "s", task: 1)
        try await stage.queue.end(key, of: SessionStage.app)
        let sent = stage.seen.withLock(\.events).contains { event in
            if case .ended(let end) = event { end.key == key } else { false }
        }
        #expect(sent)
        await stage.center.connectionEnded(1)
        _ = try await stage.connect(2)
        let standing = try await stage.center.open("s", connection: 2)
        #expect(standing.pendingEnds == 1)
        #expect(standing.outstanding == 0)
    }

    @Test func `an app that is not there is called once, when its session's last task has ended`() async throws {
        let stage = try SessionStage()
        let journal = try await stage.connect(1, session: "s")
        for task in 1...2 { try journal.resume(task, of: "s") }
        await stage.center.rung(1)
        await stage.center.connectionEnded(1)
        try await eventuallyTasks([1, 2], stage)
        for task in 1...2 { try await stage.queue.end(SessionTaskKey(session: "s", task: task), of: SessionStage.app) }
        let call = AppNotice.needsApp(app: SessionStage.app, session: "s")
        try needs(call, stage)
        #expect(stage.seen.withLock(\.notices) == [call])
    }

    @Test func `what is withheld from an app comes once it may`() async throws {
        let stage = try SessionStage()
        let journal = try await stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        await stage.center.rung(1)
        try await eventuallyTasks([1], stage)
        await stage.center.withhold(SessionStage.app, from: ProcessIdentity(number: 1, startedAt: 1))
        try await stage.queue.end(SessionTaskKey(session: "s", task: 1), of: SessionStage.app)
        try needs(.needsApp(app: SessionStage.app, session: "s"), stage)
        #expect(!stage.seen.withLock(\.events).contains { if case .ended = $0 { true } else { false } })
        await stage.center.deliver(SessionStage.app, session: nil)
        try eventually("it may be asked for") {
            stage.seen.withLock(\.events).contains(.missed(session: "s")) ? true : nil
        }
    }

    /// However often the daemon is cut off while an app hands over: each task is in the store, once.
    @Test(arguments: UInt64(1)...10)
    func `whenever the daemon is cut off, what was handed over is there, once`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var stage = try SessionStage()
        var last = 0
        for round in 1...6 {
            let journal = try await stage.connect(UInt64(round), session: "s")
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                last += 1
                try journal.resume(last, of: "s")
                if Int.random(in: 0..<4, using: &random) == 0 { await stage.center.rung(UInt64(round)) }
            }
            // Now and then what was handed over last has not even been looked at.
            if Bool.random(using: &random) { await stage.center.rung(UInt64(round)) }
            stage = try SessionStage(after: stage)
        }
        try await eventuallyTasks(Array(1...last), stage)
        #expect(try await stage.transferCount() == last)
    }

    private func eventuallyTasks(_ expected: [Int], _ stage: SessionStage) async throws {
        // Making the session waits until all that the app left is in the store.
        let connection = UInt64.random(in: 1000...2000)
        _ = try await stage.connect(connection)
        let limit = TimeLimit(seconds: 20)
        while try await stage.tasks(of: "s") != expected, !limit.isOver { await Task.yield() }
        #expect(try await stage.tasks(of: "s") == expected)
    }
}
