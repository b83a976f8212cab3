// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// An app that holds many background tasks, and ends one, some or all, with lines directly before and after, as in
/// articles. Steps of different timers are 400 ms apart or more, so that the order of their lines is never a race.
@Suite(.serialized, .enabled(if: ExampleProgram.isBuilt("TaskKeeper"), "\(ExampleProgram.reason)"))
struct `An app that holds many background tasks` {
    private let daemon: DaemonFixture
    private let app: StageApp

    init() throws {
        daemon = try DaemonFixture(settings: #"{"backgroundTime": "6"}"#)
        app = try StageApp("TaskKeeper", daemon)
    }

    /// Launches the app and sends it to background.
    private func leave(_ count: Int, _ steps: String...) throws -> ChildProcess {
        let process = try app.launch(["\(count)"] + steps)
        let kept = try app.waitForLine("keeps \(count)")
        try eventually("its lines are far apart") { StageApp.now > kept.at + 0.3 ? true : nil }
        try app.person("background")
        try app.waitForLine("is in background")
        return process
    }

    /// Waits until the app has been suspended for a second, and brings it back.
    ///
    /// - Returns: when it was called back.
    private func bringBack(_ process: ChildProcess) throws -> Double {
        let stopped = try app.waitUntilSuspended(process.processID)
        try eventually("a second of suspension") { StageApp.now > stopped + 1 ? true : nil }
        let now = StageApp.now
        try app.person("foreground")
        return now
    }

    /// Compares the app's lines, each with its due time in seconds after "is in background", negative for before that;
    /// nil for a line that comes when the app is back.
    private func expect(
        _ expected: [(String, Double?)],
        back: Double? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let log = app.log
        #expect(log.map(\.text) == expected.map(\.0), "\(app.tale)", sourceLocation: sourceLocation)
        let began = try #require(log.first { $0.text == "is in background" }, sourceLocation: sourceLocation).at
        for (line, (text, due)) in zip(log, expected) where line.text == text {
            let after = line.at - began
            if let due {
                let isOnTime = due < 0 ? after < 0 : abs(after - due) < 0.29
                #expect(isOnTime, "\(text) after \(after) s", sourceLocation: sourceLocation)
            } else if let back {
                #expect(line.at >= back, "\(text) \(back - line.at) s too early", sourceLocation: sourceLocation)
            }
        }
        for ((line, next), due) in zip(zip(log, log.dropFirst()), zip(expected, expected.dropFirst()))
        where due.0.1 != due.1.1 {
            #expect(next.at - line.at > 0.29, "\(line.text), \(next.text)", sourceLocation: sourceLocation)
        }
    }

    @Test func `when all tasks have ended nothing runs until its return`() throws {
        let process = try leave(100, "0.4:work:a", "0.8:work:b,end:all,work:c", "1.8:work:d")
        let back = try bringBack(process)
        try app.waitForLine("works d")
        try expect(
            [
                ("keeps 100", -1), ("is in background", 0), ("works a", 0.4), ("works b", 0.8),
                ("ends 100 of 100", 0.8), ("works c", 0.8), ("works d", nil),
            ],
            back: back
        )
        #expect(try app.gap("works c", "works d") > 1)
    }

    @Test func `one open task keeps it running`() throws {
        let process = try leave(2, "0.4:end:1,work:a", "1.6:work:b", "2:end:1,work:c", "3:work:d")
        let back = try bringBack(process)
        try app.waitForLine("works d")
        try expect(
            [
                ("keeps 2", -1), ("is in background", 0), ("ends 1 of 2", 0.4), ("works a", 0.4), ("works b", 1.6),
                ("ends 1 of 1", 2), ("works c", 2), ("works d", nil),
            ],
            back: back
        )
    }

    @Test func `some ended, the others keep it running`() throws {
        let process = try leave(40, "0.4:end:39,work:a,end:1,work:b", "1.4:work:c")
        let back = try bringBack(process)
        try app.waitForLine("works c")
        try expect(
            [
                ("keeps 40", -1), ("is in background", 0), ("ends 39 of 40", 0.4), ("works a", 0.4),
                ("ends 1 of 1", 0.4), ("works b", 0.4), ("works c", nil),
            ],
            back: back
        )
    }

    @Test func `without a task nothing runs until its return`() throws {
        let process = try leave(0, "0.8:work:a")
        let back = try bringBack(process)
        try app.waitForLine("works a")
        try expect([("keeps 0", -1), ("is in background", 0), ("works a", nil)], back: back)
    }

    @Test func `when the time is over all its handlers are called, and it is suspended`() throws {
        let process = try leave(100, "0.4:work:a", "5.8:work:b")
        let back = try bringBack(process)
        try app.waitForLine("works b")
        try expect(
            [("keeps 100", -1), ("is in background", 0), ("works a", 0.4), ("time is up", 5), ("works b", nil)],
            back: back
        )
        let expiring = try #require(try app.story("expiring", count: 1).first)
        #expect(expiring.tasks.array.count == 100)
        #expect(try app.story("killed").isEmpty)
    }

    @Test func `a task that is never ended is what it is killed for`() throws {
        let process = try leave(3, "0.4:end:2", "0.8:leak:the leak", "1.2:work:a")
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        let end = StageApp.now
        try expect([
            ("keeps 3", -1), ("is in background", 0), ("ends 2 of 3", 0.4), ("leaks the leak", 0.8), ("works a", 1.2),
            ("time is up", 5),
        ])
        let began = try #require(app.log.first { $0.text == "is in background" }).at
        #expect((5.9...6.8).contains(end - began), "killed after \(end - began) s of 6")
        let kill = try #require(try app.story("killed", count: 1).first)
        #expect(kill.cause.string == "backgroundTimeOver")
        #expect(kill.tasks.array.compactMap(\.name.string) == ["the leak"])
        let held = try #require(kill.tasks[0].seconds.number)
        // From its beginning to the kill, however late on a busy machine.
        let leaked = try #require(app.log.first { $0.text == "leaks the leak" }).at
        #expect(held >= 4.9 && held <= end - leaked + 0.2, "held for \(held) s of \(end - leaked)")
    }
}
