// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

/// The commands against a scripted daemon; against the real one they are in the integration tests.
@Suite struct AppCommandTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs a command line against a peer that knows some apps, and also returns the requests.
    private func run(
        _ words: [String],
        rows: [AppRow] = [AppSamples.row(.suspended)],
        columns: Int = 0,
        _ answers: [String: ScriptedPeer.Step] = [:]
    ) throws -> (CommandRun, asked: [String]) {
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, _ in
            if name == Hello.name { return try ScriptedPeer.hello() }
            if name == ListApps.name { return [try ScriptedPeer.reply(ListApps.Reply(rows: rows))] }
            return answers[name].map { [$0] } ?? [.close]
        }
        let run = withExtendedLifetime(peer) {
            CommandRun(words + ["--no-start"], home: directory.path("h"), columns: columns)
        }
        return (run, peer.requests.filter { $0 != Hello.name })
    }

    private func acted(_ row: AppRow?, cancelled: Int = 0) throws -> [String: ScriptedPeer.Step] {
        [ActOnApp.name: try ScriptedPeer.reply(ActOnApp.Reply(row: row, cancelledTransfers: cancelled))]
    }

    @Test func `a list says how each app stands`() throws {
        let rows = [
            AppSamples.row(.background, outstanding: 3),
            AppSamples.row(.terminated, id: "com.example.keeper", isQuit: true),
        ]
        let (run, _) = try run(["app", "list"], rows: rows)
        #expect(run.lines[0].split(separator: " ") == ["APP", "STATE", "SINCE", "PROCESS", "TRANSFERS"])
        #expect(run.lines[1].hasPrefix("com.example.dropoff  in background  "))
        #expect(run.lines[1].hasSuffix("   4711          3"))
        #expect(run.lines[2].hasPrefix("com.example.keeper   quit"))
        let narrow = try self.run(["app", "list"], rows: rows, columns: 50).0
        #expect(narrow.lines.allSatisfy { DisplayWidth.of($0) <= 50 })
        #expect(
            try self.run(["app", "list", "-q"], rows: rows).0.output == "com.example.dropoff\ncom.example.keeper\n"
        )
        #expect(try self.run(["app", "list"], rows: []).0.output.hasPrefix("No app is registered;"))
    }

    @Test func `everything about an app, of its environment the names`() throws {
        let detail = try ScriptedPeer.reply(AppSamples.detail(AppSamples.row(.background)))
        let (run, asked) = try run(["app", "info", "dropoff"], [ShowApp.name: detail])
        #expect(asked == [ListApps.name, ShowApp.name])
        for line in [
            "Process:      4711", "Arguments:    --to 'my server'", "Environment:  HOME, PATH",
            "Background:   30 s (ios13)", "Suspended by: SIGSTOP", "Modes:        processing", "Background tasks:",
            "  1: upload", "Transfers:    none outstanding",
        ] {
            #expect(run.lines.contains(line), "\(line) in \(run.output)")
        }
        #expect(run.lines.contains { $0.hasPrefix("Time:") && $0.hasSuffix("(20s left)") })
        let waiting = try ScriptedPeer.reply(AppSamples.detail(AppSamples.row(.terminated, isQuit: true)))
        let other = try self.run(["app", "info", "dropoff"], [ShowApp.name: waiting]).0
        #expect(other.lines.contains { $0.hasPrefix("Delayed:") && $0.hasSuffix("(1:05 left)") })
        #expect(other.lines.contains("Suspended by: the cgroup freezer"))
        #expect(other.lines.contains { $0.hasPrefix("Quit:") })
    }

    @Test func `the story of an app, a line each`() throws {
        let story = AppSamples.story(
            .attached(process: 4711),
            .moved(from: .active, to: .background, .person),
            .moved(from: .background, to: .suspended, .nothingToDo)
        )
        let reply = try ScriptedPeer.reply(ReadAppStory.Reply(entries: story))
        let (run, _) = try run(["app", "log", "dropoff"], [ReadAppStory.name: reply])
        #expect(
            run.lines.map { $0.split(separator: " ", maxSplits: 1).last } == [
                "process 4711 has connected", "in background: a person sent it there",
                "suspended: no background task was open",
            ]
        )
        let none = try ScriptedPeer.reply(ReadAppStory.Reply(entries: []))
        let empty = try self.run(["app", "log", "dropoff"], [ReadAppStory.name: none]).0
        #expect(empty.output == "Nothing has happened to com.example.dropoff yet.\n")
    }

    @Test func `a story is followed from where it was read to`() throws {
        var stop: [Int32] = [-1, -1]
        try #require(pipe(&stop) == 0)
        let (reads, writes) = (stop[0], stop[1])
        defer { close(writes) }
        let story = AppSamples.story(.registered, .attached(process: 1), .memoryWarning)
        let peer = try ScriptedPeer(home: directory.path("f")) { connection, name, payload in
            switch name {
            case Hello.name: return try ScriptedPeer.hello()
            case ListApps.name:
                return [try ScriptedPeer.reply(ListApps.Reply(rows: [AppSamples.row(.active)]))]
            default:
                let request = try WireCoding.decode(ReadAppStory.self, from: payload)
                // The daemon goes away once, and its successor has the remaining entries.
                if connection == 1, request.after == 2 { return [.close] }
                if request.after == 3 { _ = write(writes, "c", 1) }
                let known = connection == 1 ? story.prefix(2) : story.prefix(3)
                let entries = known.filter { $0.number > request.after ?? 0 }
                return [try ScriptedPeer.reply(ReadAppStory.Reply(entries: Array(entries)))]
            }
        }
        let run = withExtendedLifetime(peer) {
            CommandRun(["app", "log", "-f", "dropoff", "--no-start"], home: directory.path("f"), signals: reads)
        }
        #expect(run.status == .detached)
        #expect(
            run.lines.map { $0.split(separator: " ", maxSplits: 1).last } == [
                "registered", "process 1 has connected", "warned that memory is low",
            ]
        )
    }

    @Test func `all of a long story is read page by page`() throws {
        let all = (1...2500).map { StoredAppEntry(number: Int64($0), entry: AppSamples.entry(.memoryWarning)) }
        let peer = try ScriptedPeer(home: directory.path("p")) { _, name, payload in
            switch name {
            case Hello.name: return try ScriptedPeer.hello()
            case ListApps.name:
                return [try ScriptedPeer.reply(ListApps.Reply(rows: [AppSamples.row(.active)]))]
            default:
                let request = try WireCoding.decode(ReadAppStory.self, from: payload)
                let rest = all.filter { $0.number > request.after ?? 0 }.prefix(request.limit)
                return [try ScriptedPeer.reply(ReadAppStory.Reply(entries: Array(rest)))]
            }
        }
        withExtendedLifetime(peer) {
            let words = ["app", "log", "dropoff", "--no-start"]
            #expect(CommandRun(words + ["--all"], home: directory.path("p")).lines.count == 2500)
            #expect(CommandRun(words + ["-n", "1500"], home: directory.path("p")).lines.count == 1500)
        }
    }

    @Test func `what it printed is read from its log`() throws {
        var detail = AppSamples.detail(AppSamples.row(.background))
        detail.logPath = directory.path("app.log")
        let answers = [ShowApp.name: try ScriptedPeer.reply(detail)]
        let none = try run(["app", "log", "--output", "dropoff"], answers).0
        #expect(none.status == .failure)
        #expect(none.errors.contains("There is no output from"))
        try TestFiles.write("one\ntwo\n\u{1B}[2Jthree\nfour", to: detail.logPath)
        let all = try run(["app", "log", "--output", "dropoff"], answers).0
        #expect(all.lines == ["one", "two", "\u{FFFD}[2Jthree", "four"])
        #expect(try run(["app", "log", "-o", "-n", "2", "dropoff"], answers).0.lines == ["\u{FFFD}[2Jthree", "four"])
        let document = try JSONValue(parsing: try run(["app", "log", "-o", "dropoff", "--json"], answers).0.output)
        #expect(document.keys == ["app", "lines", "path"])
    }

    @Test(arguments: [
        (["app", "launch", "dropoff"], LifeState.active, "com.example.dropoff is active (process 4711).\n"),
        (["app", "launch", "-b", "dropoff"], .background, "com.example.dropoff is in background (process 4711).\n"),
        (["app", "background", "dropoff"], .suspended, "com.example.dropoff is suspended (process 4711).\n"),
        (["app", "foreground", "dropoff"], .active, "com.example.dropoff is active (process 4711).\n"),
        (["app", "quit", "dropoff"], .terminated, "Quit com.example.dropoff; 3 transfers were cancelled.\n"),
        (["app", "terminate", "dropoff"], .terminated, "Terminated com.example.dropoff.\n"),
        (["app", "remove", "dropoff"], .terminated, "Removed com.example.dropoff.\n"),
        (["app", "launch", "--no-wait", "dropoff"], .launching, "com.example.dropoff is being launched.\n"),
    ])
    func `what was done is said`(words: [String], state: LifeState, sentence: String) throws {
        let (run, asked) = try run(words, acted(AppSamples.row(state), cancelled: 3))
        #expect(run.output == sentence, "\(run.errors)")
        #expect(run.status == .success)
        #expect(asked == [ListApps.name, ActOnApp.name])
    }

    @Test func `an app that ends at its launch is a failure`() throws {
        let run = try run(["app", "launch", "dropoff"], acted(AppSamples.row(.terminated))).0
        #expect(run.status == .failure)
        #expect(run.errors.contains("was launched and has ended: 'offstage app log com.example.dropoff' says how."))
    }

    @Test func `an app that is killed on its way to suspension is a failure`() throws {
        let run = try run(["app", "background", "dropoff"], acted(AppSamples.row(.terminated))).0
        #expect(run.status == .failure)
        #expect(run.output == "")
        #expect(run.errors.contains("has ended in the background: 'offstage app log com.example.dropoff' says how."))
    }

    @Test func `the verbs are those that were meant`() throws {
        let expected: [([String], ActOnApp.Verb, Bool)] = [
            (["launch"], .launch(inBackground: false), true),
            (["launch", "--background"], .launch(inBackground: true), true),
            (["background", "--no-wait"], .background, false), (["foreground"], .foreground, true),
            (["quit"], .quit(keepsTransfers: nil), true),
            (["quit", "--keep-transfers"], .quit(keepsTransfers: true), true), (["terminate"], .terminate, true),
            (["remove"], .remove, true), (["pressure"], .memoryWarning, false),
        ]
        for (index, (words, verb, waits)) in expected.enumerated() {
            let home = directory.path("v\(index)")
            let peer = try ScriptedPeer(home: home) { _, name, payload in
                switch name {
                case Hello.name: return try ScriptedPeer.hello()
                case ListApps.name:
                    return [try ScriptedPeer.reply(ListApps.Reply(rows: [AppSamples.row(.active)]))]
                default:
                    let request = try WireCoding.decode(ActOnApp.self, from: payload)
                    let isRight = request.verb == verb && request.waits == waits && request.app == AppSamples.id
                    guard isRight else { return [.close] }
                    let reply = ActOnApp.Reply(row: AppSamples.row(.active), cancelledTransfers: 0)
                    return [try ScriptedPeer.reply(reply)]
                }
            }
            withExtendedLifetime(peer) {
                let run = CommandRun(["app"] + words + ["dropoff", "--no-start"], home: home)
                #expect(run.status == .success, "\(words): \(run.errors)")
            }
        }
    }

    @Test func `an app is installed with its arguments, from where the command runs`() throws {
        let peer = try ScriptedPeer(home: directory.path("i")) { _, name, payload in
            if name == Hello.name { return try ScriptedPeer.hello() }
            let request = try WireCoding.decode(InstallApp.self, from: payload)
            guard request.path == "/home/somebody/apps/DropOff.app", request.arguments == ["--to", "x"],
                request.workingDirectory == "/home/somebody/apps"
            else { return [.close] }
            return [try ScriptedPeer.reply(InstallApp.Reply(app: AppSamples.id, isNew: true))]
        }
        let words = ["app", "install", "DropOff.app", "--no-start", "--", "--to", "x"]
        let run = withExtendedLifetime(peer) {
            CommandRun(words, home: directory.path("i"), directory: "/home/somebody/apps")
        }
        #expect(run.output.hasPrefix("Registered com.example.dropoff;"), "\(run.errors)")
    }

    @Test func `short memory is told by who was there`() throws {
        let answers = [SimulateMemoryPressure.name: try ScriptedPeer.reply(Empty())]
        func sentence(_ rows: AppRow...) throws -> String {
            try run(["app", "pressure"], rows: rows, answers).0.output
        }
        #expect(try sentence() == "No app is running: there is nothing to reclaim or warn.\n")
        #expect(try sentence(AppSamples.row(.active)) == "No app is suspended; warned com.example.dropoff.\n")
        #expect(
            try sentence(AppSamples.row(.suspended)) == "Reclaiming the suspended app com.example.dropoff.\n"
        )
        #expect(
            try sentence(AppSamples.row(.suspended), AppSamples.row(.suspended, id: "b"))
                == "Reclaiming the least recently used of 2 suspended apps.\n"
        )
    }

    @Test func `an app that is not there is named, with what may be meant`() throws {
        let slip = try run(["app", "info", "dropof-"]).0
        #expect(slip.status == .notFound)
        #expect(
            slip.errors == "offstage: There is no app 'dropof-': did you mean 'com.example.dropoff'?\n"
        )
        #expect(try run(["app", "quit", "photos"]).0.errors.contains("'offstage app list' shows those that exist."))
        #expect(
            try run(["app", "quit", "photos"], rows: []).0.errors.contains("'offstage app install PATH' registers one.")
        )
        let two = [AppSamples.row(.active), AppSamples.row(.active, id: "org.other.dropoff")]
        let several = try run(["app", "info", "dropoff"], rows: two).0
        #expect(several.status == .usage)
        #expect(several.errors.contains("could be com.example.dropoff or org.other.dropoff"))
    }

    @Test func `a refusal is the daemon's own sentence`() throws {
        let failure = WireFailure(.notApplicable, "com.example.dropoff is running: terminate it first.")
        let run = try run(["app", "remove", "dropoff"], [ActOnApp.name: .refuse(failure)]).0
        #expect(run.status == .failure)
        #expect(run.errors == "offstage: com.example.dropoff is running: terminate it first.\n")
    }

    @Test(arguments: [
        (["app"], "offstage app install"),
        (["app", "start"], "offstage app launch"),
        (["app", "install"], "name a Name.app folder or an executable"),
        (["app", "info"], "name an app; 'offstage app list' shows them"),
        (["app", "quit", "a", "b"], "'b' is one too many"),
        (["app", "log", "--all", "-n", "5", "a"], "give --all or --lines, not both"),
        (["app", "log", "-n", "0", "a"], "--lines takes a number from 1"),
        (["app", "list", "a"], "'a' is unexpected here"),
        (["app", "quit", "--keep-transfer", "a"], "did you mean --keep-transfers?"),
    ])
    func `a command line that makes no sense ends with 2 and one sentence`(words: [String], part: String) {
        let run = CommandRun(words)
        #expect(run.status == .usage)
        #expect(run.errors.contains(part), "\(run.errors)")
    }
}
