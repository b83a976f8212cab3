// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

/// The question before something is done to all transfers.
@Suite struct ConfirmationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs a command on a terminal, with a daemon that has one failed transfer and three unfinished ones.
    private func run(
        _ words: [String],
        answer: String,
        columns: Int = 80,
        hasKeyboard: Bool = true
    ) throws -> (run: CommandRun, acts: Int) {
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
                keyboard: hasKeyboard ? terminal : -1
            )
        }
        return (run, peer.requests.count { $0 == ActOnTransfers.name })
    }

    @Test(
        arguments: [("n", false), ("", false), ("yess", false), ("y", true), ("YES ", true)],
        [
            (["retry", "--all"], "Retry 1 transfer that failed since"),
            (["cancel", "--all"], "Cancel 3 transfers that have not ended? [y/N]"),
            (["forget", "--all"], "Remove 9 ended transfers from the list, with their histories? [y/N]"),
            (["retry", "1-1000"], "Retry all of the transfers 1-1000 that wait or have failed? [y/N]"),
            (["cancel", "7", "30-50"], "Cancel all of the transfers 30-50 that have not ended? [y/N]"),
            (["forget", "1-21"], "Remove all of the ended transfers 1-21 from the list"),
        ]
    )
    func `a person at a terminal is asked`(answer: (String, Bool), command: ([String], String)) throws {
        let (run, acts) = try run(command.0, answer: answer.0)
        #expect(run.output.contains(command.1))
        #expect(acts == (answer.1 ? 1 : 0))
        #expect(run.status == (answer.1 ? .success : .failure))
        #expect(run.output.contains("Nothing was done.") == !answer.1)
    }

    @Test(arguments: [
        ["retry", "--all", "--yes"], ["cancel", "-a", "-y"], ["forget", "--all", "-y"], ["retry", "7"],
        ["pause", "--all"], ["resume", "--all"], ["pause", "1-100"], ["cancel", "--all", "--json", "--yes"],
        ["cancel", "1-20"], ["retry", "1-100", "--yes"], ["forget"] + (1...40).map { String($0) },
    ])
    func `who says yes is not asked, nor who names few or does no harm`(words: [String]) throws {
        for hasKeyboard in [true, false] {
            let (run, acts) = try run(words, answer: "", columns: hasKeyboard ? 80 : 0, hasKeyboard: hasKeyboard)
            #expect(acts == 1)
            #expect(run.status == .success, "\(run.errors)")
            #expect(!run.output.contains("[y/N]"))
        }
    }

    /// Scripts must not cause accidents: `offstage retry --all </dev/null` once retried everything.
    @Test(
        arguments: [
            ["retry", "--all"], ["cancel", "--all"], ["forget", "--all"], ["cancel", "--all", "--json"],
            ["cancel", "1-21"], ["retry", "1-100000"],
        ],
        [(0, true), (80, false), (0, false)]
    )
    func `where nobody can be asked, nothing is done without yes`(words: [String], place: (Int, Bool)) throws {
        let isJSON = words.contains("--json")
        let (run, acts) = try run(
            words,
            answer: "y\n",
            columns: isJSON ? 80 : place.0,
            hasKeyboard: isJSON || place.1
        )
        #expect(acts == 0)
        #expect(run.status == .usage)
        #expect(run.errors.contains("nobody can be asked here: add --yes. Nothing was done."), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1)
    }
}
