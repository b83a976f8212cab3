// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// An app with a life cycle, background sessions and deferred work has one connection to the daemon.
@Suite(.serialized) struct OneLinkTests {
    private typealias App = DeferringApp

    private func useAll(_ app: DeferringApp, session: String) throws {
        try app.order("session \(session)", until: "session \(session) has 0 tasks")
        try app.order("submit refresh \(App.refresh) in=3600", until: "submitted \(App.refresh)")
        try app.order("pending", until: "pending")
    }

    @Test(arguments: [[], ["session-first"]])
    func `an app with everything has one socket, also after the daemon was killed`(words: [String]) throws {
        let app = try App(try DaemonFixture(), words.first ?? "on-stage", "nil:\(App.refresh)")
        let process = try app.open()
        try useAll(app, session: "one")
        try useAll(app, session: "two")
        #expect(try DaemonSockets.count(of: process.processID, to: app.daemon.home + "/run/daemon.sock") == 1)
        try app.daemon.killDaemon()
        try useAll(app, session: "three")
        #expect(try DaemonSockets.count(of: process.processID, to: app.daemon.home + "/run/daemon.sock") == 1)
        // Its life cycle is on the new connection as well.
        try app.act(.background)
        try app.waitUntilStopped(process)
        #expect(app.count("didEnterBackground") == 1)
    }

    @Test
    func `the main thread submits while the daemon tells the app to leave, and nothing waits for the other`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        let process = try app.open()
        try app.order("session one", until: "session one has 0 tasks")
        let before = app.lines.count
        for round in 1...20 { try app.order("submit-on-main refresh \(App.refresh) in=\(round * 3600)") }
        try app.act(.background, waits: false)
        try app.line("didEnterBackground")
        try app.waitUntilStopped(process)
        #expect(app.lines.dropFirst(before).count { $0.hasPrefix("submitted") } == 20)
        #expect(try DaemonSockets.count(of: process.processID, to: app.daemon.home + "/run/daemon.sock") == 1)
    }

    @Test func `many sessions at once leave room for what else is asked`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        let process = try app.open()
        for number in 1...100 { try app.order("session s\(number)") }
        try app.order("submit refresh \(App.refresh) in=3600", until: "submitted \(App.refresh)")
        for number in 1...100 { try app.line("session s\(number) has 0 tasks") }
        #expect(try DaemonSockets.count(of: process.processID, to: app.daemon.home + "/run/daemon.sock") == 1)
    }
}
