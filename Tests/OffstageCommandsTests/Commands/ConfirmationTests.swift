// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// What is asked before something is done to all transfers.
@Suite struct ConfirmationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs a command on a terminal, with a daemon that has one failed transfer and three that have not ended.
    private func run(_ words: [String], answer: String, columns: Int = 80) throws -> (run: CommandRun, acts: Int) {
        let failure = TransferFailure(.cannotConnect, "no")
        var failed = try Samples.row(7, .failed(failure))
        failed.finishedAt = noon
        let row = failed
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, _ in
            switch name {
            case Hello.name: return try ScriptedPeer.hello()
            case ListTransfers.name:
                return [try ScriptedPeer.reply(ListTransfers.Reply(rows: [row], hasMore: false, counts: [:]))]
            case GetStatus.name:
                let status = DaemonStatus(
                    version: .current,
                    processID: getpid(),
                    uptime: 1,
                    socketPath: "/s",
                    storePath: "/t",
                    settingsPath: "/u",
                    counts: ["finished": 9, "queued": 2, "running": 1],
                    connections: 1,
                    network: "",
                    rateLimit: nil,
                    notices: [],
                    startedBy: ""
                )
                return [try ScriptedPeer.reply(status)]
            default: return [try ScriptedPeer.reply(ActOnTransfers.Reply(done: [row.id], refused: []))]
            }
        }
        let terminal = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(terminal) }
        let run = withExtendedLifetime(peer) {
            CommandRun(
                words + ["--no-start"],
                home: directory.path("h"),
                columns: columns,
                input: answer,
                keyboard: terminal
            )
        }
        return (run, peer.requests.count { $0 == ActOnTransfers.name })
    }

    @Test(
        arguments: [("n", false), ("", false), ("yess", false), ("y", true), ("YES ", true)],
        [
            (["retry", "--all"], "Try 1 transfer again that failed since"),
            (["cancel", "--all"], "Cancel 3 transfers that have not ended? [y/N]"),
        ]
    )
    func `a person at a terminal is asked`(answer: (String, Bool), command: ([String], String)) throws {
        let (run, acts) = try run(command.0, answer: answer.0)
        #expect(run.output.contains(command.1))
        #expect(acts == (answer.1 ? 1 : 0))
        #expect(run.status == (answer.1 ? .success : .failure))
        #expect(run.output.contains("Nothing was done.") == !answer.1)
    }

    @Test(
        arguments: [
            (["retry", "--all", "--yes"], 80), (["cancel", "-a", "-y"], 80), (["retry", "--all"], 0),
            (["retry", "7"], 80),
            (["pause", "--all"], 80), (["forget", "--all"], 80), (["cancel", "--all", "--json"], 80),
        ]
    )
    func `a script is not asked, nor who says yes or means one`(words: [String], columns: Int) throws {
        let (run, acts) = try run(words, answer: "", columns: columns)
        #expect(acts == 1)
        #expect(run.status == .success)
        #expect(!run.output.contains("[y/N]"))
    }
}
