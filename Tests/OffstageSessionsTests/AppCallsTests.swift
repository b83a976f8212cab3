// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// When an app is called for its session: once for its events, and again only if it may not have received them.
@Suite struct AppCallsTests {
    private static let call = AppNotice.needsApp(app: SessionStage.app, session: "s")
    private static let settled = AppNotice.settled(app: SessionStage.app, session: "s")
    private var stage: SessionStage

    init() throws { stage = try SessionStage() }

    /// An app has handed over this many tasks, and is gone.
    private func left(_ tasks: Int) throws {
        let journal = try stage.connect(1, session: "s")
        for task in 1...tasks { try journal.resume(task, of: "s") }
        stage.ring(1)
        stage.hangUp(1)
        stage.engine.advance(by: 5)
    }

    @Test mutating func `an app that was called and has not handled the events is called by the next daemon`() throws {
        try left(1)
        try stage.end(1)
        #expect(stage.notices == [Self.call])
        stage.life { $0.notified(SessionStage.app, session: "s") }
        stage = try stage.next()
        stage.engine.advance(by: 5)
        #expect(stage.notices == [Self.call])
    }

    @Test mutating func `an app that has handled the events is not called again, not even by the next daemon`() throws {
        try left(1)
        try stage.end(1)
        stage.life { $0.notified(SessionStage.app, session: "s") }
        let journal = try stage.connect(2, session: "s")
        try stage.acknowledge(1, in: journal)
        stage.ring(2)
        stage.life { $0.handled(SessionStage.app, session: "s") }
        stage.hangUp(2)
        stage.engine.advance(by: 60)
        #expect(stage.callCount == 1)
        stage = try stage.next()
        stage.engine.advance(by: 60)
        #expect(stage.callCount == 0)
    }

    @Test mutating func `an app that was sent its ends and called back is not called for them by the next daemon`()
        throws
    {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        stage.ring(1)
        stage.engine.advance(by: 5)
        try stage.end(1)
        stage.life { $0.notified(SessionStage.app, session: "s") }
        stage.life { $0.handled(SessionStage.app, session: "s") }
        // It has not acknowledged the end, which it receives when it creates its session.
        stage = try stage.next()
        stage.engine.advance(by: 60)
        #expect(stage.callCount == 0)
        try stage.connect(2)
        #expect(try stage.open("s", 2).pendingEnds == 1)
    }

    @Test mutating func `what the app's journal says counts before the next daemon calls it`() throws {
        try left(1)
        try stage.end(1)
        let journal = try stage.connect(2, session: "s")
        // It has received the end, and neither the app nor the daemon lives to report that.
        try stage.acknowledge(1, in: journal)
        stage = try stage.next()
        stage.engine.advance(by: 60)
        #expect(stage.callCount == 0)
    }

    @Test func `an app whose session has all it needs is told that it is settled`() throws {
        try left(1)
        try stage.end(1)
        let journal = try stage.connect(2, session: "s")
        try stage.acknowledge(1, in: journal)
        stage.ring(2)
        #expect(stage.notices == [Self.call, Self.settled])
    }

    @Test func `more tasks that end later are a call of their own`() throws {
        try left(1)
        try stage.end(1)
        let journal = try stage.connect(2, session: "s")
        try stage.acknowledge(1, in: journal)
        try journal.resume(2, of: "s")
        stage.ring(2)
        stage.life { $0.handled(SessionStage.app, session: "s") }
        stage.hangUp(2)
        stage.engine.advance(by: 5)
        try stage.end(2)
        #expect(stage.callCount == 2)
    }

    @Test func `an app that has its session is told of the end, and not called`() throws {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        stage.ring(1)
        stage.engine.advance(by: 5)
        try stage.end(1)
        #expect(stage.events.contains { if case .ended = $0 { true } else { false } })
        // The rules of the app's life decide what a call means for a running app; the call is made once.
        #expect(stage.callCount == 1)
        try stage.acknowledge(1, in: journal)
        stage.ring(1)
        #expect(stage.notices.last == Self.settled)
    }

    @Test mutating func `a task that goes on delays the call, across daemons`() throws {
        try left(2)
        try stage.end(1)
        stage = try stage.next()
        stage.engine.advance(by: 60)
        #expect(stage.callCount == 0)
        try stage.end(2)
        #expect(stage.notices == [Self.call])
    }

    @Test func `the number of unfinished tasks is known for each app`() throws {
        try left(3)
        try stage.end(2)
        let sessions: any AppSessions = stage.center
        let counts = try stage.engine.run { await sessions.outstandingByApp }
        #expect(counts == [SessionStage.app: 2])
    }
}
