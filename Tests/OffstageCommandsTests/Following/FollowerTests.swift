// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

@Suite struct FollowerTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func wait(
        _ words: [String] = ["7"],
        columns: Int = 0,
        signals: Int32 = -1,
        _ script: @escaping ScriptedPeer.Script
    ) throws -> CommandRun {
        let peer = try ScriptedPeer(home: directory.path("h"), script)
        return withExtendedLifetime(peer) {
            CommandRun(["wait", "--no-start"] + words, home: directory.path("h"), columns: columns, signals: signals)
        }
    }

    @Test func `a transfer is told of until its end`() throws {
        let running = try Samples.row(7, .running, done: 100)
        let done = try Samples.row(7, .completed(status: 200), done: 1_048_576)
        let run = try wait { _, name, _ in
            if name == Hello.name { return try ScriptedPeer.hello() }
            return [
                try ScriptedPeer.reply(WatchTransfers.Reply(rows: [running])),
                .event(.progress([.init(id: running.id, bytesDone: 600_000, bytesTotal: nil, rate: 1000)])),
                .event(.finished(done)),
            ]
        }
        #expect(run.status == .success)
        #expect(run.lines.count == 3)
        #expect(run.lines[1] == "7: 57%, 586 KiB of 1.00 MiB, 1000 B/s, 7:29 left")
        #expect(run.lines[2].hasPrefix("7: done: "))
    }

    @Test func `a terminal shows bars, and takes them away in the end`() throws {
        let running = try Samples.row(7, .running, done: 524_288, rate: 1000)
        let key = try ControlC()
        let run = try wait(columns: 90, signals: key.descriptor) { _, name, _ in
            if name == Hello.name { return try ScriptedPeer.hello() }
            return [try ScriptedPeer.reply(WatchTransfers.Reply(rows: [running])), .run(key.press)]
        }
        #expect(run.status == .detached)
        #expect(run.lines.count == 2)
        #expect(run.lines[0].hasPrefix("7 big.iso  [#####"))
        #expect(run.lines[1] == "\u{1B}[1A\r\u{1B}[J")
    }

    /// A key that makes a descriptor readable, as a signal would. The follower closes the descriptor.
    private final class ControlC: Sendable {
        let descriptor: Int32
        private let other: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            (descriptor, other) = (ends[0], ends[1])
        }

        deinit { close(other) }

        func press() { _ = write(other, "c", 1) }
    }

    @Test func `a failure goes to standard error with the server's words`() throws {
        let failure = TransferFailure(.httpStatus, "the server answered 404 Not Found")
        let transfer = try Samples.transfer(7, .failed(failure))
        let row = try Samples.row(7, .failed(failure))
        let run = try wait { _, name, _ in
            switch name {
            case Hello.name: return try ScriptedPeer.hello()
            case ShowTransfers.name:
                let detail = TransferDetail(transfer: transfer, row: row, partialPath: nil)
                return [try ScriptedPeer.reply(ShowTransfers.Reply(details: [detail]))]
            default: return [try ScriptedPeer.reply(WatchTransfers.Reply(rows: [row]))]
            }
        }
        #expect(run.status == .httpError)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasSuffix("    The server wrote:\n    | no such file\n"))
    }

    @Test func `when the daemon dies another connection goes on`() throws {
        let running = try Samples.row(7, .running, done: 100)
        let done = try Samples.row(7, .completed(status: 200), done: 1_048_576)
        let run = try wait { connection, name, _ in
            if name == Hello.name { return try ScriptedPeer.hello() }
            if connection == 1 { return [try ScriptedPeer.reply(WatchTransfers.Reply(rows: [running])), .close] }
            return [try ScriptedPeer.reply(WatchTransfers.Reply(rows: [done]))]
        }
        #expect(run.status == .success, "\(run.errors)")
        #expect(run.lines.contains("The daemon went away; waiting for another."))
        #expect(run.lines.last?.hasPrefix("7: done: ") == true)
    }

    @Test func `Ctrl-C detaches and says so, and the transfer is left alone`() throws {
        let running = try Samples.row(7, .running, done: 100)
        let key = try ControlC()
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, _ in
            if name == Hello.name { return try ScriptedPeer.hello() }
            return [try ScriptedPeer.reply(WatchTransfers.Reply(rows: [running])), .run(key.press)]
        }
        let run = CommandRun(["wait", "--no-start", "7"], home: directory.path("h"), signals: key.descriptor)
        #expect(run.status == .detached)
        #expect(run.errors == "Detached: 7 continues in the background; 'offstage wait 7' follows again.\n")
        #expect(peer.requests == ["hello", "watch"])
    }

    /// `--no-start` waits a minute for an answer, 20 times over.
    @Test func `Ctrl-C detaches from a daemon that does not answer`() throws {
        let key = try ControlC()
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, _ in
            name == Hello.name ? try ScriptedPeer.hello() : [.run(key.press)]
        }
        let begun = TimeLimit.now
        let run = CommandRun(["wait", "--no-start", "7"], home: directory.path("h"), signals: key.descriptor)
        #expect(run.status == .detached && TimeLimit.now - begun < 30)
        #expect(run.errors == "Detached: 7 continues in the background; 'offstage wait 7' follows again.\n")
        withExtendedLifetime(peer) {}
    }

    @Test func `Ctrl-C detaches while another daemon is waited for`() throws {
        let running = try Samples.row(7, .running, done: 100)
        let key = try ControlC()
        let peer = try ScriptedPeer(home: directory.path("h")) { connection, name, _ in
            if connection > 1 { return [.run(key.press)] }
            if name == Hello.name { return try ScriptedPeer.hello() }
            return [try ScriptedPeer.reply(WatchTransfers.Reply(rows: [running])), .close]
        }
        let begun = TimeLimit.now
        let run = CommandRun(["wait", "--no-start", "7"], home: directory.path("h"), signals: key.descriptor)
        #expect(run.status == .detached && TimeLimit.now - begun < 30)
        #expect(run.errors.hasSuffix("Detached: 7 continues in the background; 'offstage wait 7' follows again.\n"))
        withExtendedLifetime(peer) {}
    }

    @Test func `a number that is not there ends the wait at once`() throws {
        let run = try wait(["7", "8"]) { _, name, _ in
            if name == Hello.name { return try ScriptedPeer.hello() }
            return [try ScriptedPeer.reply(WatchTransfers.Reply(rows: [try Samples.row(7, .running)]))]
        }
        #expect(run.status == .notFound)
        #expect(run.errors == "offstage: There is no transfer 8: 'offstage list' shows those that exist.\n")
    }

    @Test func `JSON comes as one document once all have ended`() throws {
        let done = try Samples.row(7, .completed(status: 200), done: 1_048_576)
        let run = try wait(["7", "--json"]) { _, name, _ in
            if name == Hello.name { return try ScriptedPeer.hello() }
            return [try ScriptedPeer.reply(WatchTransfers.Reply(rows: [done]))]
        }
        let document = try JSONValue(parsing: run.output)
        #expect(document.transfers[0].result.string == "completed")
        #expect(run.lines.count == 1)
    }
}
