// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageTestSupport
import Testing

/// What happens to an app's process when another one starts, when the daemon dies, and when it is told to exit.
@Suite(.serialized, .enabled(if: ExampleProgram.isBuilt("StageUploader"), "\(ExampleProgram.reason)"))
struct `The one process of an app` {
    private let daemon: DaemonFixture
    private let app: StageApp
    private let server: FaultServer
    private let gate = FaultGate()

    init() throws {
        daemon = try DaemonFixture(
            settings: #"{"backgroundTime": "6", "retryBaseDelay": 0.1, "retryMaximumDelay": 1}"#
        )
        app = try StageApp("StageUploader", daemon)
        server = try FaultServer()
        try TestFiles.makeDirectory(app.folder + "/Outbox")
        for name in ["cover.jpg", "photo-1.jpg"] {
            try TestFiles.makeRandom("\(app.folder)/Outbox/\(name)", bytes: 50_000, seed: 1)
            server.script("/in/\(name)", .held(gate, then: .status(201)))
        }
    }

    /// Launches the app: it has a photo in a background session, and uploads a cover in a background task.
    private func launch() throws -> ChildProcess {
        let process = try app.launch([server.url("/in")])
        try app.waitForLine("handed-over 1")
        return process
    }

    /// The clock time at which the app's background time ends, as soon as a daemon knows it.
    private func timeEnds() throws -> Double {
        let text = try eventually("the end of its time") { try daemon.json("app", "info", app.id).timeEnds.string }
        return try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)).timeIntervalSince1970
    }

    @Test func `a second one is refused while the first is in front`() throws {
        let process = try launch()
        let second = try app.launch([server.url("/in")]).result()
        #expect(second.code != 0, "\(second)")
        #expect(second.errors.contains("Another process of the app \(app.id) is already running"), "\(second)")
        #expect(app.texts == ["launched", "active", "sending cover", "handed-over 1"], "the second did nothing")
        #expect(process.isRunning)
        #expect(try app.process().processID == process.processID)
        #expect(app.state == "active")
        gate.open()
    }

    @Test func `a second one takes the place of the first while that is in background`() throws {
        let process = try launch()
        try app.person("background")
        try app.waitForLine("in-background")
        let second = try app.launch([server.url("/in")])
        try app.waitForLine("active", count: 2)
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        #expect(try app.process().processID == second.processID)
        #expect(try app.story("killed", count: 1).map(\.cause.string) == ["replaced"])
        gate.open()
        try app.waitForLine("sent photo-1.jpg 201")
        try app.waitForLine("sent cover 201")
    }

    @Test func `told to end by a signal it says goodbye, and its transfers go on`() throws {
        let process = try launch()
        process.kill(SIGTERM)
        #expect(try process.exitStatus() == .exited(0))
        #expect(app.texts.last == "terminating")
        gate.open()
        try app.waitForLine("handled photos")
        #expect(app.texts.filter { $0.hasPrefix("launched") } == ["launched", "launched-in-background"])
    }

    @Test func `without a daemon it runs as in front, and is supervised as soon as there is one`() throws {
        let nowhere = ["OFFSTAGED": daemon.path("nowhere"), "PATH": daemon.path("nowhere")]
        let process = try app.launch([server.url("/in")], environment: nowhere)
        try app.waitForLine("active")
        gate.open()
        try app.waitForLine("sent cover 201")
        try daemon.startOnDemand()
        try eventually("it is supervised", within: 60) { app.state == "active" ? true : nil }
        try app.person("background")
        try app.waitUntilSuspended(process.processID)
    }

    @Test func `the daemon's death while it is in front is noticed by nobody`() throws {
        let process = try launch()
        try daemon.killDaemon()
        try eventually("the app has started another") { daemon.daemonProcessIDs.count == 1 ? true : nil }
        try eventually("it is supervised again") { app.state == "active" ? true : nil }
        #expect(app.texts == ["launched", "active", "sending cover", "handed-over 1"])
        try app.person("background")
        try app.waitForLine("in-background")
        gate.open()
        try app.waitForLine("sent cover 201")
        try app.waitForLine("handled photos")
        try app.waitUntilSuspended(process.processID)
    }

    @Test func `the daemon's death while its task is open costs it none of its time`() throws {
        let process = try launch()
        try app.person("background")
        let left = try app.waitForLine("in-background")
        try eventually("two seconds in background") { StageApp.now > left.at + 2 ? true : nil }
        let ends = try timeEnds()
        try daemon.killDaemon()
        // The app reports the end of its time to the next daemon: it would be two seconds later if the time started
        // over.
        let endsNow = try timeEnds()
        #expect(abs(endsNow - ends) < 0.5, "\(endsNow - ends) s later")
        let told = try app.waitForLine("time-is-up cover")
        #expect(told.at - left.at > 4.8, "after \(told.at - left.at) s of 6")
        try app.waitUntilSuspended(process.processID)
        #expect(try app.story("found", count: 1).map(\.process.integer) == [Int(process.processID)], "\(app.tale)")
        try app.person("foreground")
        try app.waitForLine("active", count: 2)
        gate.open()
        try app.waitForLine("sent cover 201")
    }
}
