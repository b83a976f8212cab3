// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageProtocol
import OffstageTestSupport
import Testing

/// A handler that completes its task and submits the next request after that, without a pause between the two, as
/// <https://developer.apple.com/documentation/uikit/using-background-tasks-to-update-your-app> has it.
@Suite(.serialized) struct ChainTests {
    typealias App = DeferringApp

    /// What lies between the request and its run.
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
}
