// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

/// The shapes of apps that docs/json.md promises.
@Suite struct AppJSONShapeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func document(_ words: [String], _ answers: [String: ScriptedPeer.Step]) throws -> JSONValue {
        let rows = try ScriptedPeer.reply(ListApps.Reply(rows: [AppSamples.row(.background, outstanding: 2)]))
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, _ in
            if name == Hello.name { return try ScriptedPeer.hello() }
            return answers[name].map { [$0] } ?? (name == ListApps.name ? [rows] : [.close])
        }
        let run = withExtendedLifetime(peer) {
            CommandRun(["app"] + words + ["--json", "--no-start"], home: directory.path("h"))
        }
        return try JSONValue(parsing: run.output)
    }

    private let rowKeys = ["id", "isQuit", "name", "outstanding", "process", "since", "state"]

    @Test func `a list`() throws {
        let apps = try document(["list"], [:]).apps
        #expect(apps[0].keys == rowKeys)
        #expect(apps[0].state.string == "background")
        #expect(apps[0].outstanding.integer == 2)
    }

    @Test func `the details of an app`() throws {
        let detail = try ScriptedPeer.reply(AppSamples.detail(AppSamples.row(.background)))
        let shown = try document(["info", "dropoff"], [ShowApp.name: detail])
        #expect(
            shown.keys
                == (rowKeys + [
                    "arguments", "backgroundModes", "backgroundTime", "environmentNames", "executable", "logPath",
                    "permittedTaskIdentifiers", "suspendsBy", "tasks", "timeEnds", "workingDirectory",
                ]).sorted()
        )
        #expect(shown.backgroundTime.integer == 30)
        #expect(shown.tasks[0].keys == ["beganAt", "id", "name"])
    }

    @Test func `what was done with an app`() throws {
        let reply = ActOnApp.Reply(row: AppSamples.row(.terminated, isQuit: true), cancelledTransfers: 3)
        let done = try document(["quit", "dropoff"], [ActOnApp.name: ScriptedPeer.reply(reply)])
        #expect(done.keys == ["app", "cancelledTransfers", "state"])
        #expect(done.state.string == "terminated")
        let installed = try document(
            ["install", "/x"],
            [InstallApp.name: ScriptedPeer.reply(InstallApp.Reply(app: "a", isNew: false))]
        )
        #expect(installed == .object(["app": .string("a"), "isNew": .bool(false)]))
        let pressure = try document(["pressure"], [SimulateMemoryPressure.name: ScriptedPeer.reply(Empty())])
        #expect(pressure.keys == ["running", "suspended"])
    }

    @Test func `every entry of a story has a word, a sentence and what belongs to it`() throws {
        let happenings = AppStoryTextTests.sentences.map(\.0)
        let story = happenings.enumerated().map { index, happening in
            StoredAppEntry(number: Int64(index + 1), entry: AppSamples.entry(happening))
        }
        let reply = try ScriptedPeer.reply(ReadAppStory.Reply(entries: story))
        let document = try document(["log", "dropoff"], [ReadAppStory.name: reply])
        #expect(document.keys == ["app", "entries"])
        let entries = document.entries.array
        #expect(entries.count == happenings.count)
        for (entry, (_, sentence)) in zip(entries, AppStoryTextTests.sentences) {
            #expect(entry.text.string == sentence)
            #expect(entry.event.string?.isEmpty == false)
            #expect(["date", "event", "number", "text", "uptime"].allSatisfy(entry.keys.contains))
        }
        let file = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let described = try TestFiles.text("/\(file)/docs/json.md")
        for entry in entries {
            #expect(described.contains("| `\(entry.event.string ?? "")` |"))
            #expect(described.contains("`\(entry.cause.string ?? "moved")`"))
            #expect(entry.keys.allSatisfy { described.contains("`\($0)`") })
        }
        func entry(_ event: String, _ cause: String? = nil) -> JSONValue? {
            entries.first { $0.event.string == event && (cause == nil || $0.cause.string == cause) }
        }
        #expect(entry("moved", "nothingToDo")?.from.string == "background")
        #expect(entry("moved", "nothingToDo")?.to.string == "suspended")
        #expect(entry("launching", "sessionEvents")?.session.string == "up")
        #expect(entry("killed", "backgroundTimeOver")?.tasks[0].name.string == "upload")
        #expect(entry("killed", "backgroundTimeOver")?.seconds.integer == 30)
        #expect(entry("ended")?.exitStatus.integer == 0)
        #expect(entry("quit")?.cancelledTransfers.integer == 0)
        #expect(entry("found")?.process.integer == 7)
    }
}
