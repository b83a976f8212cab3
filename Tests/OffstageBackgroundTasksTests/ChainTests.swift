// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageProtocol
import OffstageTestSupport
import Testing

/// A handler that completes its task and submits the next request after that, without a pause between the two, as
/// <https://developer.apple.com/documentation/uikit/using-background-tasks-to-update-your-app> has it.
@Suite(.serialized) struct ChainTests {
    typealias App = DeferringApp

    /// What happens between the request and its run.
    enum Before: String, CaseIterable {
        case nothing, end, daemonKilled, daemonStopped
    }

    @Test(arguments: Before.allCases, ["chain", "slow-chain"])
    func `the next request is taken, however the app came to run`(_ before: Before, _ behaviour: String) throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        try app.behave(App.refresh, behaviour)
        let process = try app.open()
        try app.order("submit refresh \(App.refresh) in=3600", until: "submitted \(App.refresh)")
        try app.act(.background)
        try app.waitUntilStopped(process)
        switch before {
        case .nothing: break
        case .end:
            process.kill(SIGKILL)
            _ = try process.exitStatus()
        case .daemonKilled:
            try app.daemon.killDaemon()
            #expect(try app.daemon.run("list").isSuccess)
        case .daemonStopped:
            #expect(try app.daemon.run("daemon", "stop").isSuccess)
            #expect(try app.daemon.run("list").isSuccess)
        }
        let count = app.lines.count
        try app.simulate(.launch, App.refresh)
        try app.line("submitted \(App.refresh)", after: count)
        try eventually("it is suspended") { try app.show().row.state == .suspended ? true : nil }
        #expect(try app.tasks().rows.map(\.record.request.identifier) == [App.refresh])
        #expect(try app.tasks().history.count { $0.number != nil } == 1)
    }

    @Test func `an expiration handler that completes its task comes to its end, too`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        try app.behave(App.refresh, "late-chain")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh) in=3600", until: "submitted \(App.refresh)")
        try app.act(.background)
        try app.waitUntilStopped(process)
        let count = app.lines.count
        try app.simulate(.launch, App.refresh)
        try app.line("awaits the end of \(App.refresh)", after: count)
        try app.simulate(.expire, App.refresh)
        try app.line("submitted \(App.refresh)", after: count)
        try app.waitUntilStopped(process)
        #expect(try app.tasks().rows.map(\.record.request.identifier) == [App.refresh])
    }

    @Test func `a request that the daemon has not answered yet keeps its app from the stop`() throws {
        let daemon = try DaemonFixture(settings: #"{"testCommitDelay": 1.5}"#)
        let app = try App(daemon, "nil:\(App.refresh)", "nil:\(App.processing)")
        try app.behave(App.refresh, "wind-up")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh) in=3600", until: "submitted \(App.refresh)")
        try app.act(.background)
        try app.waitUntilStopped(process)
        try app.simulate(.launch, App.refresh)
        try app.line("awaits the end of \(App.refresh)")
        try app.order("submit processing \(App.processing) in=3600")
        // The request is accepted, but answered only once on disk: later than an app without a hold is stopped.
        try eventually("the daemon has it") {
            try app.tasks().rows.contains { $0.record.request.identifier == App.processing } ? true : nil
        }
        try app.simulate(.expire, App.refresh)
        try app.line("submitted \(App.processing)")
        try app.waitUntilStopped(process)
    }
}
