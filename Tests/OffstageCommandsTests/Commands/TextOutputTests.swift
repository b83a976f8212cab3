// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

@Suite struct TextOutputTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ words: [String], columns: Int = 0, _ answers: [String: ScriptedPeer.Step]) throws -> CommandRun {
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, _ in
            name == Hello.name ? try ScriptedPeer.hello() : answers[name].map { [$0] } ?? [.close]
        }
        return withExtendedLifetime(peer) {
            CommandRun(words + ["--no-start"], home: directory.path("h"), columns: columns)
        }
    }

    @Test func `a list fits the terminal and says how to see more`() throws {
        let rows = [
            try Samples.row(12, .network(.noRoute)),
            try Samples.row(11, .completed(status: 200), done: 1_048_576),
        ]
        let reply = ListTransfers.Reply(rows: rows, hasMore: true, counts: ["queued": 1, "finished": 300])
        let narrow = try run(["list", "-n", "2"], columns: 60, ["list": ScriptedPeer.reply(reply)])
        #expect(narrow.lines.prefix(3).allSatisfy { DisplayWidth.of($0) <= 60 })
        #expect(narrow.lines[2].hasPrefix("11  done    big.iso ← "))
        #expect(
            narrow.lines[3]
                == "301 transfers: 1 queued, 300 ended"
        )
        #expect(narrow.lines[4...] == ["2 shown; older: offstage list --before 11, everything: --all"])
        let narrowest = try run(["list", "-n", "2"], columns: 40, ["list": ScriptedPeer.reply(reply)])
        #expect(narrowest.lines.suffix(2) == ["2 shown; older: offstage list --before", "11, everything: --all"])
        let wide = try run(["list", "-n", "2"], ["list": ScriptedPeer.reply(reply)])
        #expect(wide.lines[1].hasSuffix("(waiting for network: there is no route to the host)"))
        #expect(
            wide.lines[3]
                == "301 transfers: 1 queued, 300 ended — 2 shown; older: offstage list --before 11, everything: --all"
        )
        let quiet = try run(["list", "-q", "-n", "2"], ["list": ScriptedPeer.reply(reply)])
        #expect(quiet.output == "12\n11\n")
    }

    @Test func `an empty list says how to begin`() throws {
        let reply = try ScriptedPeer.reply(ListTransfers.Reply(rows: [], hasMore: false, counts: [:]))
        #expect(try run(["list"], ["list": reply]).output.hasPrefix("There are no transfers yet;"))
        #expect(try run(["list", "--failed"], ["list": reply]).output == "No transfer matches.\n")
    }

    @Test func `why says what, since when, and what to do`() throws {
        let row = try Samples.row(
            7,
            .retry(TransferFailure(.cannotConnect, "cannot connect to h:1: Connection refused"), attempts: 3),
            nextLook: noon.addingTimeInterval(90)
        )
        let detail = TransferDetail(transfer: try Samples.transfer(7, row.reason.cause), row: row, partialPath: nil)
        let lines = try run(["why", "7"], ["show": ScriptedPeer.reply(ShowTransfers.Reply(details: [detail]))]).lines
        #expect(lines[0] == "7  big.iso ← files.example")
        #expect(
            lines[1].hasPrefix(
                "    waiting to try again after attempt 3: cannot connect to h:1: Connection refused, since "
            )
        )
        #expect(lines[1].hasSuffix("(in 1:30)"))
        #expect(
            lines[2] == "    Check that the server runs and that the port is right. 'offstage retry 7' tries at once."
        )
    }

    @Test(arguments: [(80, false), (40, true), (0, true)])
    func `why breaks between words, and says who paused`(width: Int, usesColour: Bool) throws {
        let url = "https://files.example/in/debian-13.1.0-amd64-netinst-with-firmware.iso"
        let path = "/home/me/debian-13.1.0-amd64-netinst-with-firmware.iso"
        let row = try Samples.row(7, .paused, url: url, path: path)
        let detail = TransferDetail(transfer: try Samples.transfer(7, .paused), row: row, partialPath: nil)
        let reply = try ScriptedPeer.reply(ShowTransfers.Reply(details: [detail]))
        let lines = try run(["why", "7"], columns: width, ["show": reply]).lines
        #expect(width == 0 || lines.allSatisfy { DisplayWidth.of($0) <= max(width, 62) }, "\(lines)")
        let words = lines.flatMap { $0.split(separator: " ") }.joined(separator: " ")
        #expect(
            words.hasPrefix("7 debian-13.1.0-amd64-netinst-with-firmware.iso ← files.example paused by you, since "),
            "\(words)"
        )
        #expect(words.hasSuffix("'offstage resume 7' continues it."))
        let shown = try run(["show", "7"], ["show": reply])
        #expect(shown.output.contains("Reason:       paused by you\n"))
    }

    @Test func `a failure is named once`() throws {
        let cause = Reason.Cause.failed(TransferFailure(.cannotConnect, "cannot connect to h:1"))
        let detail = TransferDetail(
            transfer: try Samples.transfer(7, cause),
            row: try Samples.row(7, cause),
            partialPath: nil
        )
        let shown = try run(["show", "7"], ["show": ScriptedPeer.reply(ShowTransfers.Reply(details: [detail]))])
        #expect(shown.output.contains("Reason:       cannot connect to h:1\n"), "\(shown.output)")
    }

    /// `--mode update=REV` needs the revision, which is near the end of one long line in Dropbox's answer.
    @Test func `show has what the server answered, down to the revision`() throws {
        let long = #"{"name": "a.txt", "padding": ""# + String(repeating: "x", count: 1500) + #"", "rev": "0159a"}"#
        let lines = (2...20).map { "line \($0)" }.joined(separator: "\n")
        var transfer = try Samples.transfer(7, .completed(status: 200), upload: true)
        let answer = Answer(status: 200, bodyStart: Array("\(long)\n\(lines)".utf8))
        transfer.state = .finished(.completed(answer), at: Moment(wall: noon, bootID: "boot", uptime: 100))
        let row = try Samples.row(7, .completed(status: 200), upload: true)
        let detail = TransferDetail(transfer: transfer, row: row, partialPath: nil)
        let shown = try run(["show", "7"], ["show": ScriptedPeer.reply(ShowTransfers.Reply(details: [detail]))]).output
        #expect(shown.contains(#""rev": "0159a"}"#), "\(shown)")
        #expect(shown.contains("  line 20\n"))
    }

    @Test func `control characters in names and sentences never reach the terminal`() throws {
        let row = try Samples.row(7, .running, path: "/tmp/\u{1B}]0;owned\u{07}.bin")
        let reply = try ScriptedPeer.reply(ListTransfers.Reply(rows: [row], hasMore: false, counts: ["running": 1]))
        for words in [["list"], ["why"]] {
            let answers = ["list": reply, "tasks.list": try ScriptedPeer.reply(TaskSamples.list())]
            #expect(!(try run(words, answers).output.contains("\u{1B}")))
        }
    }

    @Test(arguments: [true, false])
    func `the daemon's limit is what the schedule makes of it`(isPause: Bool) throws {
        let status = DaemonStatus(
            version: .current,
            processID: 5,
            uptime: 3.5,
            socketPath: "/s",
            storePath: "/t",
            settingsPath: "/u",
            counts: [:],
            connections: 1,
            network: "up",
            rateLimit: nil,
            schedule: ScheduleStatus(isInForce: isPause, isPause: true, until: nil),
            notices: [],
            startedBy: "by hand"
        )
        let output = try run(["daemon", "status"], ["status": ScriptedPeer.reply(status)]).output
        let limit = isPause ? "The schedule in the settings allows no transfers." : "none"
        #expect(output.contains("Limit:      \(limit)\n"))
    }

    @Test func `the log's end is printed`() throws {
        try TestFiles.makeDirectory(directory.path("h"))
        try TestFiles.write((1...100).map { "line \($0)\n" }.joined(), to: directory.path("h/daemon.log"))
        #expect(CommandRun(["daemon", "log", "-n", "2"], home: directory.path("h")).output == "line 99\nline 100\n")
        #expect(CommandRun(["daemon", "log"], home: directory.path("none")).status == .failure)
    }

    @Test func `the doctor finds what is wrong`() throws {
        let home = directory.path("h")
        try TestFiles.makeDirectory(home)
        chmod(home, 0o755)
        try TestFiles.write("{ \"connectionsPerHost\": 0 }", to: home + "/settings.json")
        let run = CommandRun(
            ["doctor"],
            home: home,
            environment: ["SSL_CERT_FILE": "/none.pem", "OFFSTAGED": "/none", "XDG_RUNTIME_DIR": "/none"]
        )
        #expect(run.status == .failure)
        for part in [
            "warn  data folder", "is accessible to others (mode 755)", "FAIL  settings",
            "connectionsPerHost must be from 1 to 1024",
            "FAIL  program", "FAIL  certificates", "not used, since OFFSTAGE_HOME is set",
            "not running; the next upload",
        ] { #expect(run.output.contains(part), "\(part) is not in\n\(run.output)") }
        let other = directory.path("open")
        try TestFiles.makeDirectory(other)
        chmod(other, 0o777)
        for runtime in ["/none", other] {
            let environment = ["HOME": home, "XDG_RUNTIME_DIR": runtime]
            let paths = try OffstagePaths.ofThisUser(environment)
            let finding = SystemChecks.runtimeFolder(environment, paths)
            #expect(finding.level == .warn, "everything works")
            #expect(finding.text.contains("so it is ignored") && finding.text.contains(paths.socket))
        }
        #expect(CommandRun(["doctor"], home: "relative").output.contains("FAIL  paths  OFFSTAGE_HOME is 'relative'"))
    }
}
