// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// What wakes an app, or has it launched, as a process with the real daemon.
@Suite(.serialized) struct SessionEventTests {
    private let server: FaultServer

    init() throws { server = try FaultServer() }

    @Test(arguments: ["completion", "async"])
    func `a suspended app is woken for its session's events and suspended again`(form: String) throws {
        let app = try LivingApp(try DaemonFixture(), flags: form)
        let process = try app.open()
        let gate = try beginUpload(app)
        try app.act(.background)
        try app.waitUntilStopped(process)
        let before = app.texts.count
        gate.open()
        try app.line("finished events")
        try app.waitUntilStopped(process)
        var expected = [
            "handleEvents uploads (background)", "completed 200 without error (background)",
            "finished events (background)",
        ]
        if form == "async" { expected.append("handled uploads (background)") }
        #expect(Array(app.texts.dropFirst(before)) == expected)
        #expect(process.isRunning)
    }

    @Test func `a delegate without the method is suspended when its session's delegate has heard the events`() throws {
        let app = try LivingApp(try DaemonFixture(), flags: "plain", "listens")
        let process = try app.open(until: "didBecomeActive")
        let gate = try beginUpload(app)
        try app.act(.background)
        try app.waitUntilStopped(process)
        let before = app.texts.count
        gate.open()
        try app.line("finished events")
        try app.waitUntilStopped(process)
        let expected = ["completed 200 without error (background)", "finished events (background)"]
        #expect(Array(app.texts.dropFirst(before)) == expected)
    }

    @Test func `an app that was killed is launched in background for its session's events`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        let gate = try beginUpload(app)
        process.kill(SIGKILL)
        _ = try process.exitStatus()
        let before = app.texts.count
        gate.open()
        try app.line("finished events")
        #expect(
            Array(app.texts.dropFirst(before)) == [
                "willFinishLaunching without options (background)", "didFinishLaunching as delegate (background)",
                "posted didFinishLaunching (background)", "handleEvents uploads (background)",
                "completed 200 without error (background)", "finished events (background)",
            ]
        )
    }

    @Test func `in foreground a session's events just come`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        try beginUpload(app).open()
        try app.line("completed 200 without error (active)")
        #expect(app.texts.allSatisfy { !$0.hasPrefix("handleEvents") })
        #expect(process.isRunning)
    }

    @Test(arguments: ["upload-handled", "upload-unheard"])
    func `ends that nobody heard keep no later upload from its handler, nor its app from its one call`(
        lost: String
    ) throws {
        let count = 250
        let gates = [FaultGate(), FaultGate()]
        server.script("/lost", .held(gates[0], then: .status(201)))
        server.script("/next", .held(gates[1], then: .status(201)))
        let app = try LivingApp(try DaemonFixture())
        let first = try app.open()
        let file = try app.daemon.makeFile("photo", bytes: 10).path
        try app.order("\(lost) \(count) \(server.url("/lost")) \(file)")
        try app.line("began handled uploads")
        try eventually("the daemon has them") {
            try app.daemon.json("list", "--all", "--limit", "1000").transfers.array.count == count ? true : nil
        }
        first.kill(SIGKILL)
        _ = try first.exitStatus()
        gates[0].open()
        // It is launched for the finished tasks.
        try app.line("handleEvents handled", within: 60)
        try eventually("it is suspended") { try app.show().row.state == .suspended ? true : nil }
        try app.act(.foreground)
        try app.order("upload-handled 1 \(server.url("/next")) \(file)")
        _ = try server.waitForRequests("/next", count: 1)
        let before = app.texts.count
        try app.act(.background)
        try eventually("it is suspended again") { try app.show().row.state == .suspended ? true : nil }
        #expect(!app.texts.dropFirst(before).contains { $0.hasPrefix("handle") })
        gates[1].open()
        try app.line("handler 201", after: before)
        try eventually("it is suspended once more") { try app.show().row.state == .suspended ? true : nil }
        #expect(app.texts.dropFirst(before).count { $0.hasPrefix("handleEvents") } == 1)
        try app.act(.terminate)
    }

    /// Has the app begin an upload whose answer waits for the gate.
    private func beginUpload(_ app: LivingApp) throws -> FaultGate {
        let gate = FaultGate()
        server.script("/upload", .held(gate, then: .status(200)))
        let file = try app.daemon.makeFile("photo", bytes: 1000)
        try app.order("upload \(server.url("/upload")) \(file.path)")
        try app.line("began an upload")
        _ = try eventually("the upload is under way") { server.requests.isEmpty ? nil : true }
        return gate
    }

}
