// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// An app whose background sessions continue without it, and wake or launch it when they have ended.
@Suite(.serialized, .enabled(if: ExampleProgram.isBuilt("StageUploader"), "\(ExampleProgram.reason)"))
struct `An app with background sessions` {
    private let daemon: DaemonFixture
    private let app: StageApp
    private let server: FaultServer
    /// Holds the answers to photos, and to movies.
    private let photos = FaultGate()
    private let movies = FaultGate()

    init() throws {
        daemon = try DaemonFixture(
            settings: #"{"backgroundTime": "6", "retryBaseDelay": 0.1, "retryMaximumDelay": 1}"#
        )
        app = try StageApp("StageUploader", daemon)
        server = try FaultServer()
        try TestFiles.makeDirectory(app.folder + "/Outbox")
    }

    private func add(photos count: Int, movies movieCount: Int = 0) throws {
        for number in 1...count { try add("photo-\(number).jpg", photos, seed: UInt64(number)) }
        for number in 0..<movieCount { try add("movie-\(number + 1).mov", movies, seed: UInt64(number + 1000)) }
    }

    private func add(_ name: String, _ gate: FaultGate, seed: UInt64) throws {
        try TestFiles.makeRandom("\(app.folder)/Outbox/\(name)", bytes: 50_000, seed: seed)
        server.script("/in/\(name)", .held(gate, then: .status(201)))
    }

    private func launch() throws -> ChildProcess { try app.launch([server.url("/in")]) }

    /// Launches the app, waits until it has handed over its files, and sends it to background.
    private func launchAndLeave(_ count: Int) throws -> ChildProcess {
        let process = try launch()
        try app.waitForLine("handed-over \(count)")
        try app.person("background")
        try app.waitUntilSuspended(process.processID)
        return process
    }

    /// The lines after the last one with this text; lines whose order depends on arrival are sorted.
    private func lines(since text: String) -> [String] {
        let texts = app.texts
        let begin = texts.lastIndex(of: text).map { $0 + 1 } ?? 0
        var result: [String] = []
        for line in texts[begin...] {
            guard line.hasPrefix("sent "), let place = result.firstIndex(where: { $0.hasPrefix("sent ") && $0 > line })
            else {
                result.append(line)
                continue
            }
            result.insert(line, at: place)
        }
        return result
    }

    private func sent(_ name: String, _ count: Int) -> [String] {
        (1...count).map { "sent \(name.replacing("N", with: "\($0)")) 201" }.sorted()
    }

    private func expectAllSent(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        let folders = ["Outbox", "Sending", "Sent"].map { TestFiles.names(in: "\(app.folder)/\($0)").count }
        #expect(folders == [0, 0, count], sourceLocation: sourceLocation)
    }

    @Test func `forty photos wake a suspended app once`() throws {
        try add(photos: 40)
        let process = try launchAndLeave(40)
        #expect(app.texts == ["launched", "active", "handed-over 40", "in-background"])
        photos.open()
        try app.waitForLine("handled photos")
        try app.waitUntilSuspended(process.processID)
        #expect(lines(since: "in-background") == ["events photos"] + sent("photo-N.jpg", 40) + ["handled photos"])
        #expect(try app.story("woken", count: 1).map(\.session.string) == ["photos"], "\(app.tale)")
        #expect(try app.story("handledEvents", count: 1).map(\.session.string) == ["photos"])
        #expect(try app.story("launching").isEmpty && app.story("killed").isEmpty)
        expectAllSent(40)
    }

    @Test func `forty photos launch an app that was killed once, in background`() throws {
        try add(photos: 40)
        let process = try launchAndLeave(40)
        process.kill(SIGKILL)
        _ = try process.exitStatus()
        photos.open()
        try app.waitForLine("handled photos")
        let relaunched = try app.process()
        #expect(relaunched.processID != process.processID)
        try app.waitUntilSuspended(relaunched.processID)
        #expect(
            lines(since: "launched-in-background")
                == ["events photos"] + sent("photo-N.jpg", 40) + ["handled photos"]
        )
        #expect(try app.story("launching", count: 1).map(\.session.string) == ["photos"], "\(app.tale)")
        expectAllSent(40)
        try app.person("foreground")
        try app.waitForLine("active", count: 2)
        #expect(lines(since: "handled photos") == ["active", "handed-over 0"])
    }

    @Test func `in front the events come as they are, and nothing is announced`() throws {
        photos.open()
        try add(photos: 5)
        let process = try launch()
        for number in 1...5 { try app.waitForLine("sent photo-\(number).jpg 201") }
        #expect(process.isRunning)
        // Small photos may be sent before the program logs that it has handed over everything.
        #expect(lines(since: "active").filter { $0 != "handed-over 5" } == sent("photo-N.jpg", 5))
        #expect(try app.story("woken").isEmpty)
        expectAllSent(5)
    }

    @Test func `two sessions that end one after the other wake it twice`() throws {
        try add(photos: 3, movies: 2)
        let process = try launchAndLeave(5)
        photos.open()
        try app.waitForLine("handled photos")
        try app.waitUntilSuspended(process.processID)
        #expect(lines(since: "in-background") == ["events photos"] + sent("photo-N.jpg", 3) + ["handled photos"])
        movies.open()
        try app.waitForLine("handled movies")
        try app.waitUntilSuspended(process.processID)
        #expect(lines(since: "handled photos") == ["events movies"] + sent("movie-N.mov", 2) + ["handled movies"])
        #expect(try app.story("woken", count: 2).map(\.session.string) == ["photos", "movies"])
    }

    @Test func `reclaimed for its memory it is launched for the session that ends later`() throws {
        try add(photos: 2, movies: 1)
        let process = try launchAndLeave(3)
        photos.open()
        try app.waitForLine("handled photos")
        try app.waitUntilSuspended(process.processID)
        let result = try daemon.run("app", "pressure")
        #expect(result.isSuccess, "\(result)")
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        #expect(app.texts.contains("terminating") == false, "a suspended app is not told")
        movies.open()
        try app.waitForLine("handled movies")
        #expect(
            lines(since: "launched-in-background")
                == ["events movies"] + sent("movie-N.mov", 1) + ["handled movies"]
        )
        #expect(try app.story("killed", count: 1).map(\.cause.string) == ["memoryPressure"])
        expectAllSent(3)
    }

    @Test func `swiped away its transfers are cancelled, and only a person launches it`() throws {
        try add(photos: 3)
        let process = try launchAndLeave(3)
        let result = try app.person("quit")
        #expect(result.output.contains("3 transfers were cancelled"), "\(result)")
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        photos.open()
        #expect(try app.story("quit", count: 1).map(\.cancelledTransfers.integer) == [3])
        let next = try launch()
        for number in 1...3 { try app.waitForLine("failed photo-\(number).jpg -999 reason 0") }
        #expect(app.texts.filter { $0.hasPrefix("launched") } == ["launched", "launched"])
        #expect(try app.story("launching").allSatisfy { $0.cause.string == "person" }, "\(app.tale)")
        // The file of an upload that fails before the app is active is resent at once; the other files wait.
        try app.person("background")
        try app.waitForLine("in-background", count: 2)
        try app.person("foreground")
        for number in 1...3 { try app.waitForLine("sent photo-\(number).jpg 201") }
        #expect(next.isRunning)
        for number in 1...3 {
            let life = app.texts.filter { $0.contains(" photo-\(number).jpg ") }
            #expect(life == ["failed photo-\(number).jpg -999 reason 0", "sent photo-\(number).jpg 201"])
        }
        expectAllSent(3)
    }

    @Test func `swiped away with its transfers kept they arrive, and it hears of them from a person's launch`() throws {
        try add(photos: 3)
        let process = try launchAndLeave(3)
        try app.person("quit", "--keep-transfers")
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        photos.open()
        try eventually("they have arrived") {
            try daemon.json("list", "--all").transfers.array.allSatisfy { $0.state.string == "finished" } ? true : nil
        }
        #expect(app.texts.last == "in-background")
        #expect(try app.story("launching").isEmpty, "\(app.tale)")
        let next = try launch()
        for number in 1...3 { try app.waitForLine("sent photo-\(number).jpg 201") }
        #expect(next.isRunning)
        expectAllSent(3)
    }

    @Test func `terminated by the system its transfers go on, and it is launched when they have ended`() throws {
        try add(photos: 3)
        let process = try launch()
        try app.waitForLine("handed-over 3")
        try app.person("terminate")
        #expect(try process.exitStatus() == .exited(0))
        #expect(app.texts.last == "terminating")
        photos.open()
        try app.waitForLine("handled photos")
        #expect(
            lines(since: "launched-in-background")
                == ["events photos"] + sent("photo-N.jpg", 3) + ["handled photos"]
        )
        expectAllSent(3)
    }

    @Test func `the daemon's death leaves a suspended app where it is, and the next one wakes it`() throws {
        try add(photos: 3)
        let process = try launchAndLeave(3)
        try daemon.killDaemon()
        #expect(StageApp.isStopped(process.processID))
        try daemon.startOnDemand()
        #expect(app.state == "suspended", "\(app.tale)")
        #expect(StageApp.isStopped(process.processID))
        photos.open()
        try app.waitForLine("handled photos")
        try app.waitUntilSuspended(process.processID)
        #expect(lines(since: "in-background") == ["events photos"] + sent("photo-N.jpg", 3) + ["handled photos"])
        #expect(try app.story("found", count: 1).map(\.process.integer) == [Int(process.processID)])
        #expect(try app.story("woken", count: 1).count == 1)
        try daemon.killDaemon()
        try app.person("foreground")
        try app.waitForLine("active", count: 2)
        #expect(try app.process().processID == process.processID)
        expectAllSent(3)
    }

    @Test func `launched and sent about by the command alone, it is relaunched as it was launched`() throws {
        try add(photos: 2)
        let install = try daemon.run("app", "install", app.executable, "--", app.folder, server.url("/in"))
        #expect(install.isSuccess, "\(install)")
        try app.person("launch")
        try app.waitForLine("handed-over 2")
        let process = try app.process()
        try app.person("background")
        try app.waitUntilSuspended(process.processID)
        try process.send(SIGKILL)
        try process.awaitEnd()
        photos.open()
        try app.waitForLine("handled photos")
        #expect(app.texts.filter { $0.hasPrefix("launched") } == ["launched", "launched-in-background"])
        expectAllSent(2)
    }
}
