// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite(.serialized) struct AnswerTests {
    /// An app in background with a delivered notification.
    private func notified(_ words: String = "") throws -> (NotifyingApp, ChildProcess) {
        let app = try NotifyingApp(try DaemonFixture(), words)
        let process = try app.open()
        try app.order("authorize", until: "authorized true")
        try app.order("categories", until: "categories")
        try app.act(.background)
        try app.waitUntil(.suspended)
        try app.act(.foreground)
        try app.order("add one 1", until: "added one without error")
        try app.act(.background)
        try app.waitUntil(.suspended)
        try app.delivered("one")
        return (app, process)
    }

    enum Before: CaseIterable { case suspended, killed, quit, daemonKilled }

    @Test(arguments: Before.allCases)
    func `a click brings the app to the front, where its delegate hears of it`(_ before: Before) throws {
        let (app, process) = try notified()
        let count = app.lines.count
        switch before {
        case .suspended: break
        case .killed:
            process.kill(SIGKILL)
            _ = try process.exitStatus()
            try app.waitUntil(.terminated)
        case .quit:
            try app.act(.quit(keepsTransfers: nil))
            try app.waitUntil(.terminated)
        case .daemonKilled:
            try app.daemon.killDaemon()
            #expect(try app.daemon.run("list").isSuccess)
        }
        let result = try app.answer("one")
        #expect(result.isSuccess, "\(result)")
        let line = try app.line("didReceive one", after: count)
        #expect(line == "didReceive one com.apple.UNNotificationDefaultActionIdentifier active plant fern")
        try app.story("was told that notification 'Water the fern' was opened")
        #expect(try app.state == .active)
        #expect(try app.rows().isEmpty)
    }

    @Test(arguments: [false, true])
    func `an action without foreground runs the app in background, and no longer than it takes`(isKilled: Bool) throws {
        let (app, process) = try notified()
        if isKilled {
            process.kill(SIGKILL)
            _ = try process.exitStatus()
            try app.waitUntil(.terminated)
        }
        let count = app.lines.count
        #expect(try app.answer("one", "--action", "later", "--text", "in an hour").isSuccess)
        #expect(
            try app.line("didReceive one", after: count) == "didReceive one later background plant fern text in an hour"
        )
        try app.line("completed one", after: count)
        try app.story("was told that notification 'Water the fern' was answered by 'later'")
        try app.waitUntil(.suspended)
        #expect(!app.lines.dropFirst(count).contains("didBecomeActive"))
    }

    @Test func `a removal is told to nobody unless the category wants it`() throws {
        let (app, process) = try notified()
        defer { process.kill(SIGKILL) }
        #expect(try app.answer("one", "--dismiss").isSuccess)
        #expect(try app.rows().isEmpty)
        #expect(try app.state == .suspended)
        #expect(!app.lines.contains { $0.hasPrefix("didReceive") })
    }

    @Test func `an app without a delegate is not told, and its story says so`() throws {
        let (app, process) = try notified("silent")
        defer { process.kill(SIGKILL) }
        #expect(try app.answer("one", "--action", "done").isSuccess)
        try app.story("was not told that notification 'Water the fern' was answered by 'done': it has no delegate")
        try app.waitUntil(.suspended)
    }

    @Test func `an answer outlives a daemon that is killed while the app hears of it`() throws {
        let (app, process) = try notified()
        // No process handles the answer before the daemon is gone.
        process.kill(SIGKILL)
        _ = try process.exitStatus()
        try app.waitUntil(.terminated)
        let count = app.lines.count
        let answering = try app.daemon.start(["notifications", "answer", app.id, "one", "--action", "done"])
        #expect(try answering.result().isSuccess)
        try app.daemon.killDaemon()
        #expect(try app.daemon.run("list").isSuccess)
        try app.line("didReceive one done background", after: count)
        try app.line("completed one", after: count)
    }

    @Test func `what is not there, or not offered, is a sentence`() throws {
        let (app, process) = try notified()
        defer { process.kill(SIGKILL) }
        let missing = try app.answer("two")
        #expect(missing.status == .exited(4))
        #expect(missing.errors.contains("has no delivered notification 'two'"))
        let unknown = try app.answer("one", "--action", "burn")
        #expect(unknown.status == .exited(3))
        #expect(unknown.errors.contains("it offers open, later, done"), "\(unknown)")
        #expect(try app.rows().count == 1)
        let json = try app.daemon.json("notifications")
        #expect(json.notifications[0].identifier.string == "one")
        #expect(try app.daemon.run("notifications").output.contains("Water"))
    }
}
