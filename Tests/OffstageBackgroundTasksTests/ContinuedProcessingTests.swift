// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Work that a person starts in the app, and sees continue.
@Suite(.serialized) struct ContinuedProcessingTests {
    private typealias App = DeferringApp
    private let job = "\(App.export).HD830D"

    private func begin() throws -> (App, ChildProcess) {
        let app = try App(try DaemonFixture())
        let process = try app.open()
        try app.order("register nil \(job)", until: "registered \(job) true")
        try app.order("submit continued \(job)", until: "submitted \(job)")
        try app.line("handles \(job) BGContinuedProcessingTask on background")
        try app.line("titled Export begins")
        return (app, process)
    }

    @Test func `continued processing runs at once, shows how far it is, and goes on in background`() throws {
        let (app, process) = try begin()
        try app.order("progress 3 10", until: "progress 0.3")
        try app.order("title Export goes", until: "titled Export goes")
        let wanted = TaskProgress(title: "Export", subtitle: "goes", completed: 3, total: 10)
        try eventually("the daemon knows how far it is") { try app.tasks().rows.first?.progress == wanted ? true : nil }
        try app.act(.background, waits: false)
        try app.line("didEnterBackground")
        try app.order("progress 10 10", until: "progress 1.0")
        try app.order("complete true", until: "completes \(job)")
        let entry = try app.ended(job)
        guard case .ended(.completed(success: true), _, _) = entry.outcome else {
            Issue.record("It ended otherwise: \(entry)")
            return
        }
        try app.waitUntilStopped(process)
    }

    @Test func `continued processing that its person cancels hears so`() throws {
        let (app, process) = try begin()
        _ = try app.connection().send(CancelTask(task: job))
        try app.line("expires \(job) once")
        let entry = try app.ended(job)
        guard case .ended(.expired(.cancelledByPerson, success: false), _, _) = entry.outcome else {
            Issue.record("It ended otherwise: \(entry)")
            return
        }
        #expect(process.isRunning)
    }

    @Test func `continued processing cannot begin behind other apps`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        let process = try app.open()
        // This task keeps the app running in background.
        try app.order("submit refresh \(App.refresh)", until: "submitted \(App.refresh)")
        try app.line("handles \(App.refresh)")
        try app.act(.background, waits: false)
        try app.line("didEnterBackground")
        try eventually("the daemon knows that it is in background") { () -> Bool? in
            try app.show().row.state == .background ? true : nil
        }
        try app.order("register nil \(job)", until: "registered \(job) true")
        #expect(
            try app.order("submit continued \(job) fail", until: "refused") == "refused \(job) immediateRunIneligible"
        )
        #expect(process.isRunning)
    }

    @Test func `continued processing that requires the graphics processor is refused`() throws {
        let app = try App(try DaemonFixture())
        let process = try app.open()
        try app.order("register nil \(job)", until: "registered \(job) true")
        #expect(try app.order("submit continued \(job) gpu", until: "refused") == "refused \(job) notPermitted")
        #expect(process.isRunning)
    }
}
