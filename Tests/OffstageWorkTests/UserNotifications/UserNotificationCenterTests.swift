// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import OffstageWork
import Testing

/// Notifications of apps: requested, stored, shown at their time and answered, without an app or a desktop.
@Suite struct UserNotificationCenterTests {
    private var stage: WorkStage

    init() throws {
        stage = try WorkStage()
        try stage.authorize()
    }

    private func wall(after seconds: Double) -> Date { stage.engine.clock.now().wall.addingTimeInterval(seconds) }

    @Test func `one that is asked for at once is shown at once, and said to be shown`() throws {
        try stage.add("tea", .immediately)
        #expect(stage.desktop.titles == ["It is time for tea"])
        #expect(try stage.notificationsNow().delivered.map(\.request.identifier) == ["tea"])
        stage.engine.settle()
        #expect(stage.world.state.withLock(\.notes) == [.shown])
    }

    @Test func `an interval ends at its second`() throws {
        try stage.add("tea", .interval(seconds: 180, repeats: false))
        stage.engine.advance(by: 179.9)
        #expect(stage.desktop.shown.isEmpty)
        #expect(try stage.notificationsNow().pending.map(\.identifier) == ["tea"])
        stage.engine.advance(by: 0.2)
        #expect(stage.desktop.titles == ["It is time for tea"])
        #expect(try stage.notificationsNow().pending.isEmpty)
    }

    @Test func `an interval that repeats comes again and again`() throws {
        try stage.add("tea", .interval(seconds: 60, repeats: true))
        stage.engine.advance(by: 181)
        #expect(stage.desktop.shown.count == 3)
        // Each replaces the one before.
        #expect(try stage.notificationsNow().delivered.count == 1)
        #expect(try stage.notificationsNow().pending.count == 1)
    }

    @Test func `dates come one by one, and those that are past never`() throws {
        try stage.add("meeting", .dates([wall(after: -60), wall(after: 600), wall(after: 1200)]))
        stage.engine.advance(by: 599)
        #expect(stage.desktop.shown.isEmpty)
        stage.engine.advance(by: 2)
        #expect(stage.desktop.shown.count == 1)
        stage.engine.advance(by: 600)
        #expect(stage.desktop.shown.count == 2)
        #expect(try stage.notificationsNow().pending.isEmpty)
    }

    @Test func `one that is removed is not shown, and the others are`() throws {
        try stage.add("tea", .interval(seconds: 60, repeats: false))
        try stage.add("cake", .interval(seconds: 60, repeats: false))
        try stage.remove(["tea"], isDelivered: false)
        stage.engine.advance(by: 61)
        #expect(stage.desktop.titles == ["It is time for cake"])
    }

    @Test func `one that was delivered is taken from the desktop when it is removed`() throws {
        try stage.add("tea", .immediately)
        let key = try #require(stage.desktop.shown.first?.key)
        try stage.remove(nil, isDelivered: true)
        #expect(stage.desktop.closed == [key])
        #expect(try stage.notificationsNow().delivered.isEmpty)
    }

    @Test mutating func `pending and delivered ones are there for the next daemon, which shows what it missed`() throws
    {
        try stage.add("now", .immediately)
        try stage.add("missed", .interval(seconds: 60, repeats: false))
        try stage.add("later", .interval(seconds: 600, repeats: false))
        try stage.add("removed", .interval(seconds: 600, repeats: false))
        try stage.remove(["removed"], isDelivered: false)
        stage = try stage.next(after: 120)
        #expect(stage.desktop.titles == ["It is time for missed"])
        #expect(try Set(stage.notificationsNow().delivered.map(\.request.identifier)) == ["now", "missed"])
        stage.engine.advance(by: 479)
        #expect(stage.desktop.titles == ["It is time for missed"])
        stage.engine.advance(by: 2)
        #expect(stage.desktop.titles == ["It is time for missed", "It is time for later"])
    }

    @Test func `an app in front is asked first, and may keep it silent`() throws {
        stage.world.state.withLock {
            $0.isInFront = true
            $0.conducts = [.runsOn]
        }
        try stage.add("tea", .immediately)
        #expect(stage.desktop.shown.isEmpty)
        let number = try #require(stage.world.state.withLock(\.told).last?.number)
        let (notifications, facts) = (stage.notifications, stage.facts)
        let asked = try stage.engine.run { await notifications.take(.init(number: number), of: facts) }
        #expect(asked.notification?.request.identifier == "tea")
        try stage.engine.run { try await notifications.present(.init(number: number, options: 0), of: facts) }
        stage.engine.settle()
        #expect(stage.desktop.shown.isEmpty)
        #expect(stage.world.state.withLock(\.notes) == [.keptSilent])
    }

    @Test func `one whose app in front cannot be asked is shown`() throws {
        stage.world.state.withLock {
            $0.isInFront = true
            $0.conducts = [.returns]
        }
        try stage.add("tea", .immediately)
        stage.engine.settle()
        #expect(stage.desktop.titles == ["It is time for tea"])
    }

    @Test func `a click opens the app, and its delegate has the answer`() throws {
        try stage.add("tea", .immediately)
        let key = try #require(stage.desktop.shown.first?.key)
        stage.desktop.report(.answered(NotificationAnswer(action: NotificationAnswer.defaultAction)), of: key)
        stage.engine.settle()
        #expect(stage.world.state.withLock(\.openings) == 1)
        #expect(stage.world.state.withLock(\.notes) == [.shown, .answered(action: NotificationAnswer.defaultAction)])
        #expect(try stage.notificationsNow().delivered.isEmpty)
    }

    @Test func `an answer from the desktop that was not offered, or is too long, is none`() throws {
        try stage.add("tea", .immediately)
        let key = try #require(stage.desktop.shown.first?.key)
        let long = String(repeating: "x", count: NotificationAnswer.mostTextBytes + 1)
        for answer in [
            NotificationAnswer(action: "never offered"),
            NotificationAnswer(action: NotificationAnswer.defaultAction, text: long),
        ] {
            stage.desktop.report(.answered(answer), of: key)
        }
        stage.engine.settle()
        #expect(stage.world.state.withLock(\.notes) == [.shown])
        #expect(try stage.notificationsNow().delivered.count == 1)
        stage.desktop.report(.failed(long), of: key)
        stage.engine.settle()
        let reason = String(repeating: "x", count: DesktopLink.longestReason)
        #expect(stage.world.state.withLock(\.notes).last == .notShown(reason))
    }

    @Test mutating func `an answer that its app has not heard is given to it by the next daemon`() throws {
        try stage.add("tea", .immediately)
        stage.world.state.withLock { $0.conducts = [.isSilent] }
        let key = try #require(stage.desktop.shown.first?.key)
        stage.desktop.report(.answered(NotificationAnswer(action: NotificationAnswer.defaultAction)), of: key)
        stage.engine.settle()
        stage = try stage.next()
        stage.engine.settle()
        #expect(stage.world.state.withLock(\.notes).last == .answered(action: NotificationAnswer.defaultAction))
    }

    @Test mutating func `the next daemon gives the number of such an answer to nothing else`() throws {
        try stage.add("tea", .immediately)
        stage.world.state.withLock { $0.conducts = [.isSilent, .isSilent, .isSilent] }
        let key = try #require(stage.desktop.shown.first?.key)
        stage.desktop.report(.answered(NotificationAnswer(action: NotificationAnswer.defaultAction)), of: key)
        stage.engine.settle()
        stage = try stage.next()
        try stage.submit("task-1")
        stage.engine.settle()
        let told = stage.world.state.withLock(\.told)
        let answers = Set(told.filter { $0.identifier != "task-1" }.map(\.number))
        #expect(answers.count == 1)
        #expect(told.contains { $0.identifier == "task-1" && !answers.contains($0.number) })
    }

    @Test mutating func `an answer after a restart has a number that its app has not seen`() throws {
        for name in ["tea", "cake"] { try stage.add(name, .immediately) }
        try answer("tea")
        stage = try stage.next(after: 1)
        try answer("cake")
        // If it had an already completed number, a process that was suspended would take the second for the first.
        #expect(Set(stage.world.state.withLock(\.told).map(\.number)).count == 2)
        let answered = AppEntry.NotificationOutcome.answered(action: NotificationAnswer.defaultAction)
        #expect(stage.world.state.withLock(\.notes).filter { $0 == answered }.count == 2)
    }

    /// A person answers a notification, and its app is notified.
    private func answer(_ identifier: String) throws {
        let answer = NotificationAnswer(action: NotificationAnswer.defaultAction)
        let request = AnswerNotification(app: WorkStage.app, identifier: identifier, answer: answer)
        let notifications = stage.notifications
        try stage.engine.run { try await notifications.answer(request) }
        stage.engine.settle()
    }

    @Test func `while the disk is full nobody is told that a request was accepted`() throws {
        stage.engine.disk.isFull = true
        let (notifications, facts) = (stage.notifications, stage.facts)
        let request = LocalNotification(
            identifier: "tea",
            content: .init(),
            trigger: .interval(seconds: 90, repeats: false)
        )
        let begun = stage.engine.begin { try await notifications.add(.init(request: request), of: facts) }
        stage.engine.advance(by: 30)
        #expect(!begun.hasEnded)
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect(begun.hasEnded)
        // Its time has continued meanwhile.
        stage.engine.advance(by: 59)
        #expect(stage.desktop.shown.count == 1)
    }

    @Test func `an app that has not asked to be allowed is refused`() throws {
        let fresh = try WorkStage()
        #expect(try fresh.add("tea", .immediately) != nil)
        #expect(fresh.desktop.shown.isEmpty)
    }
}
