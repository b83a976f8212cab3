// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// `offstage app …` as a person types it, with the real command, the real daemon and real processes.
@Suite(.serialized) struct AppCommandTests {
    private static let id = "com.example.wired"
    private let daemon: DaemonFixture

    init() throws { daemon = try DaemonFixture() }

    /// An app that is installed and not running.
    private func installed(_ flags: String...) throws -> WiredApp {
        let app = try WiredApp(daemon, name: "wired", bundle: Self.id)
        let result = try daemon.run(["app", "install", daemon.path("wired.app"), "--", app.folder] + flags)
        guard result.isSuccess else { throw TestError("app install: \(result)") }
        return app
    }

    /// Runs a command that must succeed, and returns its lines.
    @discardableResult
    private func app(_ words: String...) throws -> [String] {
        let result = try daemon.run(["app"] + words)
        guard result.isSuccess else { throw TestError("offstage app \(words.joined(separator: " ")): \(result)") }
        return result.lines
    }

    private func story() throws -> [String] {
        try daemon.json("app", "log", "--all", Self.id).entries.array.compactMap(\.text.string)
    }

    @Test func `an installed app is listed with how it is launched`() throws {
        let wired = try installed("--to", "my server")
        let again = try daemon.run("app", "install", daemon.path("wired.app"), "--", wired.folder)
        #expect(again.output.contains("com.example.wired was already registered"), "\(again)")
        #expect(try app("list", "-q") == [Self.id])
        #expect(try daemon.json("app", "info", "wired").arguments.array.map(\.string) == ["(hidden)"])
        let info = try daemon.json("app", "info", "wired", "--reveal")
        #expect(info.id.string == Self.id)
        #expect(info.name.string == "Wired")
        #expect(info.state.string == "terminated")
        #expect(info.arguments.array.map(\.string) == [wired.folder])
        #expect(info.environmentNames.array.contains { $0.string == "OFFSTAGE_HOME" })
        #expect(try story() == ["registered"])
    }

    @Test func `an app goes through its states by hand`() throws {
        let wired = try installed()
        let launched = try app("launch", "wired")
        let process = try wired.processID()
        #expect(launched == ["com.example.wired is active (process \(process))."])
        try app("background", "com.example.wi")
        try wired.waitUntilStopped()
        try wired.wait(for: .suspended)
        #expect(try app("list")[1].contains("suspended"))
        #expect(try app("foreground", "wired") == ["com.example.wired is active (process \(process))."])
        #expect(try app("launch", "wired") == ["com.example.wired is active (process \(process))."])
        #expect(try app("terminate", "wired") == ["Terminated com.example.wired."])
        try wired.waitUntilGone()
        try wired.wait(for: .terminated)
        #expect(try app("remove", "wired") == ["Removed com.example.wired."])
        #expect(try app("list", "-q").isEmpty)
    }

    @Test func `a launch in background does not come to the front`() throws {
        let wired = try installed()
        let line = try app("launch", "--background", "wired")[0]
        #expect(line.contains("is in background") || line.contains("is suspended"), "\(line)")
        try wired.wait(for: .suspended)
        #expect(wired.texts.contains("attached personInBackground"))
        #expect(!wired.texts.contains("state active"))
    }

    @Test func `the story has everything in order, and goes on while it is followed`() throws {
        let wired = try installed()
        let following = try daemon.start(["app", "log", "--follow", "wired"])
        _ = try following.line { $0.hasSuffix(" registered") ? true : nil }
        try app("launch", "wired")
        try app("background", "wired")
        try wired.wait(for: .suspended)
        _ = try following.line { $0.hasSuffix("suspended: no background task was open") ? true : nil }
        following.kill(SIGINT)
        let followed = try following.result(within: 20)
        #expect(followed.code == 130, "\(followed)")
        let told = try story()
        let parts = [
            "registered", "being launched: a person opened it", "process \(try wired.processID()) has connected",
            "in background: a person sent it there", "suspended: no background task was open",
        ]
        #expect(told.filter(parts.contains) == parts, "\(told)")
        let lines = followed.lines.filter { !$0.hasSuffix(":") }
        #expect(lines.map { String($0.split(separator: " ", maxSplits: 1)[1]) } == told)
        let entries = try daemon.json("app", "log", "wired").entries.array
        let times = entries.compactMap(\.uptime.number)
        #expect(times == times.sorted() && times.count == entries.count)
    }

    @Test func `what a launched app prints is kept`() throws {
        let folder = daemon.path("talker.app")
        try TestFiles.makeDirectory(folder)
        // A program that only prints and exits: it is not supervised, but its output is still kept.
        try TestFiles.write(try TestFiles.read("/bin/echo"), to: "\(folder)/talker", mode: 0o755)
        try TestFiles.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.talker</string>
            <key>CFBundleExecutable</key><string>talker</string></dict></plist>
            """,
            to: "\(folder)/Info.plist"
        )
        try app("install", folder, "--", "hello", "from afar")
        #expect(try daemon.run("app", "log", "--output", "talker").code == 1)
        try app("launch", "--no-wait", "talker")
        let printed = try eventually("what it prints") {
            let result = try daemon.run("app", "log", "--output", "talker")
            return result.lines.isEmpty ? nil : result.lines
        }
        #expect(printed == ["hello from afar"])
    }

    @Test func `short memory takes the suspended app`() throws {
        let wired = try installed()
        try app("launch", "wired")
        #expect(try app("pressure") == ["No app is suspended; warned com.example.wired."])
        try wired.line("memoryWarning")
        try app("background", "wired")
        try wired.wait(for: .suspended)
        #expect(try app("pressure") == ["Reclaiming the suspended app com.example.wired."])
        try wired.waitUntilGone()
        try wired.wait(for: .terminated)
        #expect(try story().contains("killed: memory was low, and it was suspended"))
    }

    @Test func `a quit app says what became of its transfers`() throws {
        let wired = try installed()
        try app("launch", "wired")
        #expect(try app("quit", "--keep-transfers", "wired") == ["Quit com.example.wired; no transfer was cancelled."])
        try wired.waitUntilGone()
        #expect(try app("list")[1].contains("quit"))
        try app("launch", "wired")
        #expect(try daemon.json("app", "info", "wired").isQuit.bool == false)
    }

    @Test func `refusals are one sentence`() throws {
        let wired = try installed()
        try app("launch", "wired")
        try wired.wait(for: .active)
        expectSentence(try daemon.run("app", "remove", "wired"), code: 1, "com.example.wired")
        expectSentence(try daemon.run("app", "info", "photos"), code: 4, "photos")
        expectSentence(try daemon.run("app", "install", daemon.path("nothing.app")), code: 1, "nothing.app")
        expectSentence(try daemon.run("app", "install", daemon.files), code: 1, "app")
        let slip = try daemon.run("app", "launch", "wierd")
        #expect(slip.code == 4)
        #expect(slip.errors.contains("did you mean 'com.example.wired'?"), "\(slip)")
    }
}
