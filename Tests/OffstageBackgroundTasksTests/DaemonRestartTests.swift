// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// The daemon dies while a task runs: the app starts the next daemon, no task runs twice, and no end is lost.
@Suite(.serialized) struct DaemonRestartTests {
    private typealias App = DeferringApp

    private func run() throws -> (App, ChildProcess) {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh)", until: "submitted \(App.refresh)")
        try app.line("handles \(App.refresh)")
        try eventually("the daemon knows that it runs") { () -> Bool? in
            guard case .running? = try app.tasks().rows.first?.record.phase else { return nil }
            return true
        }
        try app.daemon.killDaemon()
        return (app, process)
    }

    private func isSuccess(_ entry: TaskEntry) -> Bool {
        if case .ended(.completed(success: true), _, _) = entry.outcome { true } else { false }
    }

    @Test func `a task goes on under the next daemon, which hears of its end`() throws {
        let (app, process) = try run()
        try eventually("the next daemon knows that it runs") { () -> Bool? in
            guard case .running? = (try? app.tasks())?.rows.first?.record.phase else { return nil }
            return true
        }
        try app.order("complete true", until: "completes \(App.refresh)")
        #expect(isSuccess(try app.ended(App.refresh)))
        #expect(app.count("handles") == 1)
        #expect(process.isRunning)
    }

    @Test func `the end of a task that no daemon has heard is told to the next one`() throws {
        let (app, process) = try run()
        try app.order("complete true", until: "completes \(App.refresh)")
        #expect(isSuccess(try app.ended(App.refresh)))
        #expect(app.count("handles") == 1)
        #expect(process.isRunning)
    }

    @Test func `a request is submitted to the next daemon when the connection is lost`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh) in=3600", until: "submitted \(App.refresh)")
        try app.daemon.killDaemon()
        try app.order("submit refresh \(App.refresh) in=7200", until: "submitted \(App.refresh)")
        #expect(try app.tasks().rows.count == 1)
        #expect(process.isRunning)
    }
}
