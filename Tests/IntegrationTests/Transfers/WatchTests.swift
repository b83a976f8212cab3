// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import Testing

/// The live table in a real terminal.
@Suite struct `Watching in a terminal` {
    @Test func `the table is scrolled with keys, follows the window's size, and goes with q`() throws {
        let daemon = try DaemonFixture()
        let list = (1...40).map { "http://127.0.0.1:1/file\($0)\n" }.joined()
        let begun = try daemon.run(["download", "--detach", "--begin", "+2h", "-"], input: list)
        #expect(begun.isSuccess, "\(begun)")
        let window = try daemon.window("watch", rows: 14, columns: 90)
        try window.waitForText("40 transfers: 40 waiting")
        try window.waitForText("rows 1–10 of 40  (arrows, j, k, PageUp, PageDown, Home, End)")
        try window.type("\u{1B}[6~")
        try window.waitForText("rows 11–20 of 40")
        try window.type("j\u{1B}OB\u{1B}[A")
        try window.waitForText("rows 12–21 of 40")
        try window.type("\u{1B}[F")
        try window.waitForText("rows 31–40 of 40")
        // A cancelled transfer gets a row among the finished ones.
        #expect(try daemon.run("cancel", "1").isSuccess)
        try window.waitForText("39 transfers: 39 waiting")
        try window.resize(rows: 24, columns: 60)
        try window.waitForText("\u{1B}[H\u{1B}[J")
        try window.waitForText("rows 21–40 of 40")
        try window.type("\u{1B}[H")
        try window.waitForText("rows 1–20 of 40")
        try window.type("q")
        #expect(try window.exitStatus() == .exited(0))
    }

    @Test func `what runs and what is in line have a time left`() throws {
        let daemon = try DaemonFixture(settings: #"{"connectionsPerHost": 1}"#)
        let server = try FaultServer()
        server.script("/in", .status(201))
        for name in ["one", "two"] {
            _ = try daemon.makeFile(name, bytes: 50_000_000)
            _ = try daemon.submit("upload", "--limit-rate", "500k", name, server.url("/in"))
        }
        let window = try daemon.window("watch", rows: 14, columns: 100)
        try window.waitForText(" left (")
        try window.waitForText(" with the queue)")
        try window.type("q")
        #expect(try window.exitStatus() == .exited(0))
    }
}
