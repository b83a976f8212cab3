// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

@Suite(.serialized, .enabled(if: ExampleProgram.isBuilt("EventSender"), "\(ExampleProgram.reason)"))
struct `Events that an app sends` {
    private let daemon: DaemonFixture
    private let app: ExampleProgram
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        app = try ExampleProgram("EventSender", daemon)
        server = try FaultServer()
        server.script("/events", .status(202))
    }

    /// The names of the events that the server has received, from their contents.
    private func arrived() throws -> [String] {
        try server.requests("/events").filter(\.isWhole).map {
            try #require(JSONValue(parsing: String(decoding: $0.body, as: UTF8.self)).id.string) + ".json"
        }
    }

    private func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(TestFiles.names(in: app.folder + "/Outbox").isEmpty, sourceLocation: sourceLocation)
        #expect(app.noted("failed").isEmpty, sourceLocation: sourceLocation)
        // A kill between resume() and the log line leaves an event that arrives without one.
        let arrived = Set(try arrived())
        #expect(arrived == Set(app.noted("delivered", "arrived-earlier")), sourceLocation: sourceLocation)
        #expect(arrived.isSuperset(of: app.noted("handed-over")), sourceLocation: sourceLocation)
    }

    @Test func `events are posted once each and their files deleted`() throws {
        let result = try app.launch(server.url("/events"), "100").result()
        #expect(result.isSuccess, "\(result)")
        #expect(app.noted("delivered").count == 100)
        #expect(Set(app.noted("delivered")).count == 100)
        #expect(try arrived().count == 100)
        #expect(server.requests.allSatisfy { $0.headers["X-Sender"] == "EventSender" && $0.method == "POST" })
        try expectNothingLeft()
    }

    @Test func `events survive the death of sender and daemon together`() throws {
        let process = try app.launch(server.url("/events"), "400")
        try app.waitForLines("handed-over", count: 150)
        let daemonProcess = try daemon.daemon()
        process.kill(SIGKILL)
        try daemonProcess.send(SIGKILL)
        _ = try process.exitStatus()
        try daemonProcess.awaitEnd()
        let sure = Set(app.noted("handed-over"))
        let before = app.lines.count
        let result = try app.launch(server.url("/events"), "0").result()
        #expect(result.isSuccess, "\(result)")
        #expect(sure.isSubset(of: app.noted("delivered")))
        expectOnce(kills: [before])
        try expectNothingLeft()
    }

    @Test func `no temp file of an event is left after many deaths`() throws {
        var kills: [Int] = []
        for turn in 1...5 {
            let process = try app.launch(server.url("/events"), "60")
            try app.waitForLines("handed-over", count: 30 * turn)
            process.kill(SIGKILL)
            _ = try process.exitStatus()
            kills.append(app.lines.count)
            if turn.isMultiple(of: 2) { try? daemon.killDaemon() }
        }
        let result = try app.launch(server.url("/events"), "0").result()
        #expect(result.isSuccess, "\(result)")
        expectOnce(kills: kills)
        try expectNothingLeft()
    }

    /// Expects that no event was reported twice, unless a kill hit the delegate: then it was the last line of that
    /// launch.
    private func expectOnce(kills: [Int], sourceLocation: SourceLocation = #_sourceLocation) {
        let lines = app.lines
        let cutOff = Set(kills.compactMap { end in lines[..<end].lastIndex { $0[0] == "delivered" } })
        let sure = lines.enumerated().filter { $0.element[0] == "delivered" && !cutOff.contains($0.offset) }
        let numbers = sure.map { $0.element[2] }
        #expect(Set(numbers).count == numbers.count, sourceLocation: sourceLocation)
    }
}
