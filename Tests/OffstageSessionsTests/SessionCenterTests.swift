// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageSessions
import OffstageTestSupport
import Testing

/// The engine of background sessions, without a server or a process; transfers are not carried out.
@Suite struct SessionCenterTests {
    private var stage: SessionStage

    init() throws { stage = try SessionStage() }

    @Test func `what is handed over is taken in, and the app is told how far`() throws {
        let journal = try stage.connect(1, session: "s")
        for task in 1...3 { try journal.resume(task, of: "s") }
        #expect(try stage.tasks().isEmpty)
        stage.ring(1)
        #expect(stage.events == [.committed(sequence: 3)])
        #expect(try stage.tasks() == [1, 2, 3])
        let standing = try stage.open("s", 1)
        #expect(standing.highestTask == 3)
        #expect(standing.outstanding == 3)
    }

    @Test func `an end goes to whoever has the session, and is there for who makes it later`() throws {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        stage.ring(1)
        try stage.end(1)
        let sent = stage.events.filter { event in
            if case .ended(let end) = event { end.key == SessionTaskKey(session: "s", task: 1) } else { false }
        }
        #expect(sent.count == 1)
        stage.hangUp(1)
        try stage.connect(2)
        let standing = try stage.open("s", 2)
        #expect(standing.pendingEnds == 1)
        #expect(standing.outstanding == 0)
    }

    @Test func `an app that is not there is called once, when its session's last task has ended`() throws {
        let journal = try stage.connect(1, session: "s")
        for task in 1...2 { try journal.resume(task, of: "s") }
        stage.ring(1)
        stage.hangUp(1)
        stage.engine.advance(by: 5)
        #expect(try stage.tasks() == [1, 2])
        try stage.end(1)
        #expect(stage.notices.isEmpty)
        try stage.end(2)
        #expect(stage.notices == [.needsApp(app: SessionStage.app, session: "s")])
        stage.engine.advance(by: 3600)
        #expect(stage.callCount == 1)
    }

    @Test func `what is withheld from an app comes once it may`() throws {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        stage.ring(1)
        stage.engine.advance(by: 5)
        stage.life { $0.withhold(SessionStage.app, from: ProcessIdentity(number: 1, startedAt: 1)) }
        try stage.end(1)
        #expect(stage.notices == [.needsApp(app: SessionStage.app, session: "s")])
        #expect(!stage.events.contains { if case .ended = $0 { true } else { false } })
        stage.life { $0.deliver(SessionStage.app, session: nil) }
        #expect(stage.events.last == .missed(session: "s"))
    }

    @Test func `a second process has a session once the first lets it go, or is refused after a while`() throws {
        try stage.connect(1, session: "s")
        try stage.connect(2)
        let before = stage.engine.elapsed
        let refusal = #expect(throws: WireFailure.self) { try stage.open("s", 2) }
        #expect(refusal?.code == .inUse)
        #expect(stage.engine.elapsed - before > 1)
        let center = stage.center
        let begun = stage.engine.begin { try await center.open("s", connection: 2) }
        #expect(!begun.hasEnded)
        stage.hangUp(1)
        #expect(try begun.value() != nil)
    }

    /// However often the daemon is cut off while an app hands over: each task is in the store exactly once.
    @Test(arguments: UInt64(1)...12)
    mutating func `whenever the daemon is cut off, what was handed over is there, once`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var last = 0
        for round in 1...6 {
            let journal = try stage.connect(UInt64(round), session: "s")
            stage.engine.disk.cutOff(
                at: .init(commit: Int.random(in: 1...5, using: &random), isAfter: Bool.random(using: &random))
            )
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                last += 1
                try journal.resume(last, of: "s")
                if Int.random(in: 0..<4, using: &random) == 0 { stage.ring(UInt64(round)) }
            }
            // Sometimes the latest records have not even been looked at.
            if Bool.random(using: &random) { stage.ring(UInt64(round)) }
            stage = try stage.next()
        }
        // Creating a session waits until everything that the app left is in the store.
        try stage.connect(99, session: "s")
        #expect(try stage.tasks() == Array(1...last))
        #expect(try stage.transferCount() == last)
        // The journals of the former daemons are gone.
        #expect(stage.journalFiles.count == 1)
    }

    @Test func `a connection that asks twice at once whose it is has one journal`() throws {
        let center = stage.center
        let asked = (1...2).map { _ in
            stage.engine.beginLater {
                try await center.openApp(connection: 1, process: 1, pidfd: -1).journal
            }
        }
        stage.engine.advance(by: 1)
        var refusals = 0
        for begun in asked {
            do {
                close(try #require(try begun.value()))
            } catch let error as WireFailure {
                #expect(error.code == .badRequest)
                refusals += 1
            }
        }
        #expect(refusals == 1)
        #expect(stage.journalFiles.count == 1)
        stage.hangUp(1)
        stage.engine.advance(by: 5)
        #expect(stage.journalFiles.isEmpty)
    }
}
