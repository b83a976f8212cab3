// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// An app with deferred work, as a process, with the real daemon: from the request to its end.
@Suite(.serialized) struct SchedulingTests {
    private typealias App = DeferringApp

    private func success(_ entry: TaskEntry) -> Bool? {
        guard case .ended(.completed(let success), _, _) = entry.outcome else { return nil }
        return success
    }

    @Test func `a suspended app is woken for its task, runs it on its queue, and is suspended again`() throws {
        let app = try App(try DaemonFixture(), "main:\(App.refresh)")
        try app.behave(App.refresh, "complete")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh) in=3600", until: "submitted \(App.refresh)")
        try app.act(.background)
        try app.waitUntilStopped(process)
        try app.simulate(.launch, App.refresh)
        try app.line("handles \(App.refresh) BGAppRefreshTask on main")
        #expect(success(try app.ended(App.refresh)) == true)
        try app.waitUntilStopped(process)
        #expect(app.count("handles") == 1 && app.count("didEnterBackground") == 1)
    }

    @Test func `a handler that blocks the main thread hears all the same that its time is over`() throws {
        let app = try App(try DaemonFixture(), "main:\(App.refresh)")
        try app.behave(App.refresh, "wait")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh)", until: "handles \(App.refresh)")
        try app.simulate(.expire, App.refresh)
        try app.line("expires \(App.refresh)", within: 4)
        guard case .ended(.expired(.simulated, success: false), _, _) = try app.ended(App.refresh).outcome else {
            Issue.record("\(try app.tasks().history)")
            return
        }
        #expect(process.isRunning)
    }

    @Test func `only a task's own expiration handler says how it ends when it is to end`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        try app.behave(App.refresh, "wind-up")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh)", until: "awaits the end of \(App.refresh)")
        try app.simulate(.expire, App.refresh)
        guard case .ended(.expired(.simulated, success: true), _, _) = try app.ended(App.refresh).outcome else {
            Issue.record("\(try app.tasks().history)")
            return
        }
        #expect(process.isRunning)
    }

    @Test(arguments: ["nil", "main"])
    func `a task that waits behind another's handler comes back when it is to end, and runs later`(
        queue: String
    ) throws {
        let app = try App(try DaemonFixture(), "\(queue):\(App.processing)", "\(queue):\(App.refresh)")
        try app.behave(App.processing, "wait")
        try app.behave(App.refresh, "complete")
        let process = try app.open()
        try app.pretendIdle()
        try app.order("submit processing \(App.processing)", until: "handles \(App.processing)")
        try app.order("submit refresh \(App.refresh)", until: "submitted \(App.refresh)")
        let row = { try app.tasks().rows.first { $0.record.request.identifier == App.refresh } }
        try eventually("it is on its way") { () -> Bool? in
            guard case .starting? = try row()?.record.phase else { return nil }
            return true
        }
        try app.simulate(.expire, App.refresh)
        try eventually("it waits again") { try row()?.reason.cause == .retry(attempts: 1) ? true : nil }
        #expect(app.count("handles \(App.refresh)") == 0)
        try app.simulate(.expire, App.processing)
        try app.line("completes \(App.processing)")
        try app.simulate(.launch, App.refresh)
        try eventually("it has run") { try app.tasks().history.contains { success($0) == true } ? true : nil }
        #expect(app.count("handles \(App.refresh)") == 1)
        #expect(process.isRunning)
    }

    @Test func `an app that has ended is launched in background for its task`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        try app.behave(App.refresh, "fail")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh) in=3600", until: "submitted \(App.refresh)")
        process.kill(SIGTERM)
        _ = try process.exitStatus()
        let before = app.lines.count
        try app.simulate(.launch, App.refresh)
        try app.line("handles \(App.refresh) BGAppRefreshTask on background", after: before)
        let lines = Array(app.lines.dropFirst(before + 1).prefix(2))
        #expect(lines == ["registered \(App.refresh) true", "didFinishLaunching"])
        #expect(app.count("didEnterBackground") == 0, "it has not been in front")
        #expect(success(try app.ended(App.refresh)) == false)
        #expect(try app.tasks().rows.isEmpty, "It is not run again by itself.")
    }

    @Test func `a task runs when its time has come, and can be submitted again from its handler`() throws {
        let app = try App(try DaemonFixture(), "own:\(App.refresh)")
        try app.behave(App.refresh, "again")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh) in=0.5", until: "submitted \(App.refresh)")
        try app.line("handles \(App.refresh) BGAppRefreshTask on own")
        let first = try app.ended(App.refresh)
        #expect(success(first) == true)
        let rows = try app.tasks().rows
        #expect(rows.count == 1 && rows.first?.record.request.number != first.number)
        try app.behave(App.refresh, "fail")
        try app.simulate(.launch, App.refresh)
        try app.line("completes \(App.refresh) false")
        #expect(process.isRunning)
    }

    @Test func `a processing task and one of health research are handed out as what they are`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.processing)")
        try app.behave(App.processing, "complete")
        let process = try app.open()
        try app.pretendIdle()
        for (word, name) in [("processing", "BGProcessingTask"), ("research", "BGHealthResearchTask")] {
            let before = app.lines.count
            try app.order("submit \(word) \(App.processing) in=3600", until: "submitted \(App.processing)")
            try app.simulate(.launch, App.processing)
            try app.line("handles \(App.processing) \(name) on background", after: before)
        }
        #expect(process.isRunning)
    }

    @Test func `a task whose time is over hears of it once, and completes`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh)", until: "submitted \(App.refresh)")
        try app.line("handles \(App.refresh)")
        try app.simulate(.expire, App.refresh)
        try app.line("expires \(App.refresh) once")
        let entry = try app.ended(App.refresh)
        guard case .ended(.expired(.simulated, success: false), _, _) = entry.outcome else {
            Issue.record("It ended otherwise: \(entry)")
            return
        }
        #expect(process.isRunning)
    }

    @Test func `a task without an expiration handler is over when its time is, and its app lives`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        try app.behave(App.refresh, "no-handler")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh)", until: "submitted \(App.refresh)")
        try app.line("handles \(App.refresh)")
        try app.simulate(.expire, App.refresh)
        let entry = try app.ended(App.refresh)
        guard case .ended(.expired(.simulated, success: false), _, _) = entry.outcome else {
            Issue.record("It ended otherwise: \(entry)")
            return
        }
        try app.order("complete true", until: "completes \(App.refresh)")
        process.kill(SIGTERM)
        let errors = try process.result().errors
        #expect(errors.contains("already been completed without success, so give it one."), "\(errors)")
    }

    @Test func `a task that is completed twice is told so, and nothing comes of it`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        try app.behave(App.refresh, "twice")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh)", until: "submitted \(App.refresh)")
        #expect(success(try app.ended(App.refresh)) == true)
        try eventually("it was completed twice") { app.count("completes \(App.refresh)") == 2 ? true : nil }
        process.kill(SIGTERM)
        let result = try process.result()
        #expect(result.status == .exited(0))
        #expect(result.errors.contains("was called twice for the task '\(App.refresh)'"), "\(result)")
    }

    @Test func `pending requests are listed and cancelled`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)", "nil:\(App.processing)")
        let process = try app.open()
        try app.order("submit-newly refresh \(App.refresh) in=3600", until: "submitted \(App.refresh)")
        try app.order(
            "submit-async processing \(App.processing) in=3600 network power",
            until: "submitted \(App.processing)"
        )
        let both = """
            ["BGAppRefreshTaskRequest \(App.refresh) later", "BGProcessingTaskRequest \(App.processing) later network power"]
            """
        #expect(try app.order("pending", until: "pending") == "pending \(both)")
        #expect(try app.order("pending-async", until: "now pending") == "now pending \(both)")
        // Another request with the same identifier replaces it.
        try app.order("submit processing \(App.processing) in=3600", until: "submitted \(App.processing)")
        try app.order("cancel \(App.refresh)", until: "cancelled")
        #expect(
            try app.order("pending", until: "pending")
                == #"pending ["BGProcessingTaskRequest \#(App.processing) later"]"#
        )
        try app.order("cancel-all", until: "cancelled all")
        #expect(try app.order("pending", until: "pending") == "pending []")
        #expect(process.isRunning)
    }

    @Test func `an app that crashes in its handler is not begun again for that task`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        try app.behave(App.refresh, "crash")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh)")
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        let entry = try app.ended(App.refresh)
        guard case .ended(.appEnded, _, _) = entry.outcome else {
            Issue.record("It ended otherwise: \(entry)")
            return
        }
        #expect(try app.tasks().rows.isEmpty)
    }
}
