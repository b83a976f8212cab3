// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// `application(_:performFetchWithCompletionHandler:)`, which most public code implements, on top of deferred work.
@Suite(.serialized) struct BackgroundFetchTests {
    private static let mode = "<key>UIBackgroundModes</key><array><string>fetch</string></array>"

    private func rows(_ app: LivingApp) throws -> [TaskRow] { try app.connection().send(ListTasks()).rows }

    /// Waits until a fetch is planned.
    private func planned(_ app: LivingApp) throws -> TaskRow {
        try eventually("a fetch is planned; the daemon: \(app.daemon.log)") {
            try rows(app).first { $0.record.request.identifier == "performFetch" && $0.record.phase == .pending }
        }
    }

    private func fetch(_ app: LivingApp) throws {
        _ = try app.connection().send(SimulateTask(verb: .launch, task: "performFetch"))
    }

    @Test(arguments: ["suspended", "killed", "daemon killed"])
    func `an app that has set an interval is called to fetch, and again after that`(before: String) throws {
        let app = try LivingApp(try DaemonFixture(), information: Self.mode)
        let process = try app.start()
        defer { process.kill(SIGKILL) }
        try app.line("didBecomeActive")
        try app.order("fetch 0")
        let first = try planned(app)
        try app.act(.background)
        try eventually("it is suspended") { try app.show().row.state == .suspended ? true : nil }
        if before == "killed" {
            process.kill(SIGKILL)
            _ = try process.exitStatus()
        } else if before == "daemon killed" {
            try app.daemon.killDaemon()
            #expect(try app.daemon.run("list").isSuccess)
        }
        let count = app.lines.count
        try fetch(app)
        try app.line("performFetch (background)", after: count)
        try eventually("it is suspended again") { try app.show().row.state == .suspended ? true : nil }
        let next = try planned(app)
        #expect(next.record.request.number > first.record.request.number)
        let history = try app.connection().send(ListTasks()).history
        #expect(history.contains { $0.outcome.isSuccess }, "\(history)")
        // At least a quarter of an hour, whatever the app requests.
        let begin = try #require(next.record.request.earliestBegin)
        #expect(begin.timeIntervalSince(next.record.request.submitted.wall) >= 899)
        try app.act(.terminate)
    }

    @Test func `an app that sets the same interval at each launch does not put its fetch off`() throws {
        let app = try LivingApp(try DaemonFixture(), information: Self.mode)
        let process = try app.start()
        defer { process.kill(SIGKILL) }
        try app.line("didBecomeActive")
        try app.order("fetch 3600")
        let first = try planned(app)
        try app.order("fetch 3600")
        try app.order("fetch 7200")
        try eventually("another interval counts") {
            try planned(app).record.request.number > first.record.request.number ? true : nil
        }
        #expect(try planned(app).record.request.number == first.record.request.number + 1)
        try app.order("fetch never")
        try eventually("none is planned") { try rows(app).isEmpty ? true : nil }
    }

    @Test(arguments: [
        ("", "UIBackgroundModes"),
        (
            Self.mode + "<key>BGTaskSchedulerPermittedIdentifiers</key><array><string>x</string></array>",
            "BGAppRefreshTaskRequest"
        ),
    ])
    func `an Info.plist that does not let it be called is a sentence, and nothing is planned`(
        information: String,
        word: String
    ) throws {
        let app = try LivingApp(try DaemonFixture(), information: information)
        let process = try app.start()
        defer { process.kill(SIGKILL) }
        try app.line("didBecomeActive")
        try app.order("fetch 0")
        try eventually("it stands on standard error: \(process.errors)") { process.errors.contains(word) ? true : nil }
        #expect(try rows(app).isEmpty)
    }

    @Test func `a completion handler that is never called costs the app its time, and no more`() throws {
        let app = try LivingApp(try DaemonFixture(), flags: "hangs", information: Self.mode)
        let process = try app.start()
        defer { process.kill(SIGKILL) }
        try app.line("didBecomeActive")
        try app.order("fetch 0")
        let first = try planned(app)
        try app.act(.background)
        try fetch(app)
        try app.line("performFetch (background)")
        // As when its 30 s are over.
        _ = try app.connection().send(SimulateTask(verb: .expire, task: "performFetch"))
        try eventually("it is suspended, and the next is planned") {
            let isSuspended = try app.show().row.state == .suspended
            let isNext = try rows(app).contains {
                $0.record.phase == .pending && $0.record.request.number > first.record.request.number
            }
            return isSuspended && isNext ? true : nil
        }
        #expect(process.isRunning)
    }
}

extension TaskEntry.Outcome {
    fileprivate var isSuccess: Bool {
        guard case .ended(.completed(success: true), _, _) = self else { return false }
        return true
    }
}
