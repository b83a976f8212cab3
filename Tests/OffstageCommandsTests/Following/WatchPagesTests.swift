// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

/// More transfers than fit into one answer.
@Suite struct WatchPagesTests {
    private static func queued(_ ids: ClosedRange<Int64>) throws -> [TransferRow] {
        try ids.reversed().map { try Samples.row($0, .inLine(ahead: 1)) }
    }

    private static let status = DaemonStatus(
        version: .current,
        processID: 5,
        uptime: 3.5,
        socketPath: "/s",
        storePath: "/t",
        settingsPath: "/u",
        counts: ["queued": 1500],
        connections: 1,
        network: "up",
        rateLimit: nil,
        notices: [],
        startedBy: "by hand"
    )

    @Test func `the first are shown while the rest is fetched, and all can be scrolled to`() throws {
        let directory = try TemporaryDirectory()
        var keys: [Int32] = [0, 0]
        try #require(pipe(&keys) == 0)
        let keyboard = keys[1]
        defer { for end in keys { close(end) } }
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, payload in
            switch name {
            case Hello.name: return try ScriptedPeer.hello()
            case WatchTransfers.name:
                return [try ScriptedPeer.reply(WatchTransfers.Reply(rows: Self.queued(501...1500)))]
            case GetStatus.name: return [try ScriptedPeer.reply(Self.status)]
            case ListTransfers.name:
                let before = try WireCoding.decode(ListTransfers.self, from: payload).query.before
                let rows = try Self.queued(before == nil ? 501...1500 : 1...500)
                let page = ListTransfers.Reply(rows: rows, hasMore: before == nil, counts: [:])
                return [try ScriptedPeer.reply(page)]
            default:
                // As many keys as are read at once, so that their effect is drawn, and then the quit key.
                let typed = String(repeating: "j", count: 64) + "q"
                _ = write(keyboard, typed, typed.utf8.count)
                return [try ScriptedPeer.reply(WatchTasks.Reply(rows: []))]
            }
        }
        let run = withExtendedLifetime(peer) {
            CommandRun(["watch", "--no-start"], home: directory.path("h"), columns: 100, keyboard: keys[0])
        }
        #expect(run.status == .success)
        let lists = [ListTransfers.name, ListTransfers.name]
        #expect(peer.requests == [Hello.name, WatchTransfers.name, GetStatus.name] + lists + [WatchTasks.name])
        // A screen of four lines has room for one row.
        #expect(run.output.contains("rows 1–1 of 1000, and 500 more in 'offstage list'"), "\(run.output)")
        #expect(run.output.contains("rows 65–65 of 1500  ("), "\(run.output)")
        #expect(run.output.contains("65  queued"))
    }
}
