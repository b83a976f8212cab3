// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

@Suite(.serialized, .enabled(if: ExampleProgram.isBuilt("PhotoUploader"), "\(ExampleProgram.reason)"))
struct `Photos that an app uploads` {
    private let daemon: DaemonFixture
    private let app: ExampleProgram
    private let server: FaultServer
    private let names = (1...12).map { "photo-\($0).jpg" }

    init() throws {
        daemon = try DaemonFixture()
        app = try ExampleProgram("PhotoUploader", daemon)
        server = try FaultServer()
        try TestFiles.makeDirectory(daemon.path("photos"))
        for (number, name) in names.enumerated() {
            try TestFiles.makeRandom(daemon.path("photos/\(name)"), bytes: 400_000, seed: UInt64(number + 1))
            server.script("/in/\(name)", .readsSlowly(1_000_000))
        }
    }

    private func launchWithPhotos() throws -> ChildProcess {
        try app.launch(server.url("/in"), daemon.path("photos"))
    }

    /// Expects that each photo is complete at the server, and that the app was notified of each exactly once.
    private func expectAllOnce(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for name in names {
            let bodies = server.requests("/in/\(name)").filter(\.isWhole).map(\.body)
            let original = try TestFiles.read(daemon.path("photos/\(name)"))
            #expect(!bodies.isEmpty && bodies.allSatisfy { $0 == original }, "\(name)", sourceLocation: sourceLocation)
        }
        #expect(app.noted("completed").sorted() == names.sorted(), sourceLocation: sourceLocation)
        #expect(app.noted("failed").isEmpty, sourceLocation: sourceLocation)
        #expect(TestFiles.names(in: app.folder + "/Bodies").isEmpty, sourceLocation: sourceLocation)
    }

    /// Expects that nothing is left to report.
    private func expectQuietRelaunch(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let before = app.lines.filter { $0[0] != "invalid" }
        let result = try app.launch().result()
        #expect(result.isSuccess, "\(result)", sourceLocation: sourceLocation)
        #expect(app.lines.filter { $0[0] != "invalid" } == before, sourceLocation: sourceLocation)
    }

    @Test func `photos handed over by a killed app arrive, and the next launch hears of each once`() throws {
        let first = try launchWithPhotos()
        try app.waitForLines("handed-over", count: names.count)
        first.kill(SIGKILL)
        _ = try first.exitStatus()
        try daemon.killDaemon()
        let heard = app.noted("completed")
        #expect(heard.count < names.count)
        try daemon.startOnDemand()
        for name in names { try server.waitForRequests("/in/\(name)", count: 1) }
        try eventually("all have arrived while no app runs") {
            names.allSatisfy { name in server.requests("/in/\(name)").contains { $0.isWhole } } ? true : nil
        }
        try eventually("the daemon has nothing to do") { server.active == 0 ? true : nil }
        let result = try app.launch().result()
        #expect(result.isSuccess, "\(result)")
        try expectAllOnce()
        #expect(app.lines.contains(["finished-events"]))
        let positions = app.lines.enumerated().filter { $0.element[0] == "completed" }.map(\.offset)
        let end = try #require(app.lines.lastIndex(of: ["finished-events"]))
        #expect(positions.allSatisfy { $0 < end }, "it comes after the tasks' own events")
        try expectQuietRelaunch()
    }

    @Test func `a relaunched app finds its running tasks as they were`() throws {
        let gate = FaultGate()
        for name in names { server.script("/in/\(name)", .held(gate, then: .status(201))) }
        let first = try launchWithPhotos()
        try app.waitForLines("handed-over", count: names.count)
        first.kill(SIGKILL)
        _ = try first.exitStatus()
        let handed = Set(app.lines.filter { $0[0] == "handed-over" }.map { $0[1...].joined(separator: " ") })
        let second = try app.launch()
        try app.waitForLines("attached", count: names.count)
        let attached = Set(app.lines.filter { $0[0] == "attached" }.map { $0[1...].joined(separator: " ") })
        #expect(attached == handed, "the same descriptions with the same numbers")
        gate.open()
        #expect(try second.result().isSuccess)
        try expectAllOnce()
        try expectQuietRelaunch()
    }

    @Test func `the daemon's death is not the app's`() throws {
        let process = try launchWithPhotos()
        try app.waitForLines("handed-over", count: 3)
        try daemon.killDaemon()
        try app.waitForLines("completed", count: 2)
        try daemon.killDaemon()
        let result = try process.result()
        #expect(result.isSuccess, "\(result)")
        try expectAllOnce()
        try expectQuietRelaunch()
    }

    @Test func `an app killed while it hands over loses nothing that was handed over`() throws {
        let process = try launchWithPhotos()
        try app.waitForLines("handed-over", count: 4)
        process.kill(SIGKILL)
        _ = try process.exitStatus()
        let sure = Set(app.noted("handed-over"))
        let result = try app.launch().result()
        #expect(result.isSuccess, "\(result)")
        let completed = app.noted("completed")
        #expect(Set(completed).count == completed.count)
        #expect(sure.isSubset(of: completed))
        try expectQuietRelaunch()
    }

    @Test func `a second process of the same app is refused its session`() throws {
        let gate = FaultGate()
        for name in names { server.script("/in/\(name)", .held(gate, then: .status(201))) }
        let first = try launchWithPhotos()
        try app.waitForLines("handed-over", count: names.count)
        let other = try ExampleProgram("PhotoUploader", daemon, folder: "other")
        let second = try other.launch(server.url("/in"), daemon.path("photos"))
        #expect(try second.result().isSuccess)
        #expect(other.noted("failed").sorted() == names.sorted())
        #expect(other.lines.filter { $0[0] == "failed" }.allSatisfy { $0[2...] == ["NSURLErrorDomain", "-996"] })
        gate.open()
        #expect(try first.result().isSuccess)
        try expectAllOnce()
    }
}
