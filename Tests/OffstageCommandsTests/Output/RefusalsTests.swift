// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

/// The message about many transfers to which something was not done.
@Suite struct RefusalsTests {
    private static func absent(_ ids: ClosedRange<Int64>) -> [ActOnTransfers.Refusal] {
        ids.map { .init(id: .init(rawValue: $0), failure: WireFailure(.notFound, "There is no transfer \($0).")) }
    }

    private static func ended(_ ids: ClosedRange<Int64>, _ how: String) -> [ActOnTransfers.Refusal] {
        ids.map {
            let message = "Transfer \($0) can no longer be paused: \(how)."
            return .init(id: .init(rawValue: $0), failure: WireFailure(.notApplicable, message))
        }
    }

    @Test func `each reason is said once, whatever the number of transfers`() {
        let refusals =
            Self.ended(1...1, "it was cancelled") + Self.ended(2...900, "it is complete") + Self.absent(2991...100_000)
        #expect(
            Refusals.sentences(refusals) == [
                "Transfer 1 can no longer be paused: it was cancelled.",
                "Transfer 2 can no longer be paused: it is complete. The same goes for 3–900.",
                "There is no transfer 2991–100000: 'offstage list' shows those that exist.",
            ]
        )
        #expect(Refusals.sentences([]) == [])
    }

    /// The daemon of these tests has transfers 1 to 3 and 900.
    private func peer(_ home: String) throws -> ScriptedPeer {
        try ScriptedPeer(home: home) { _, name, payload in
            let there: [Int64] = [900, 3, 2, 1]
            switch name {
            case Hello.name: return try ScriptedPeer.hello()
            case ShowTransfers.name:
                let ids = try WireCoding.decode(ShowTransfers.self, from: payload).ids
                if let missing = ids.first(where: { !there.contains($0.rawValue) }) {
                    return [.refuse(WireFailure(.notFound, "There is no transfer \(missing)."))]
                }
                let details = try ids.map {
                    let row = try Samples.row($0.rawValue, .paused)
                    let transfer = try Samples.transfer($0.rawValue, .paused)
                    return TransferDetail(transfer: transfer, row: row, partialPath: nil)
                }
                return [try ScriptedPeer.reply(ShowTransfers.Reply(details: details))]
            default:
                let query = try WireCoding.decode(ListTransfers.self, from: payload).query
                let older = there.filter { $0 < query.before?.rawValue ?? .max }
                let rows = try older.prefix(query.limit).map { try Samples.row($0, .paused) }
                let hasMore = older.count > rows.count
                return [try ScriptedPeer.reply(ListTransfers.Reply(rows: rows, hasMore: hasMore, counts: [:]))]
            }
        }
    }

    @Test(arguments: ["show", "why"]) func `those that are there are shown, and one line names the others`(
        command: String
    ) throws {
        let directory = try TemporaryDirectory()
        let peer = try peer(directory.path("h"))
        let run = withExtendedLifetime(peer) {
            CommandRun([command, "2", "1", "4-1000", "--no-start"], home: directory.path("h"))
        }
        #expect(run.status == .notFound)
        #expect(
            run.errors
                == "offstage: There is no transfer 4–899, 901–1000: 'offstage list' shows those that exist.\n"
        )
        let isShow = command == "show"
        #expect(run.lines.count { isShow ? $0.hasPrefix("Transfer:") : $0.hasSuffix("← files.example") } == 3)
        let none = withExtendedLifetime(peer) {
            CommandRun([command, "5-100000", "1001", "--no-start"], home: directory.path("h"))
        }
        #expect(none.status == .notFound)
        #expect(none.lines.count { isShow ? $0.hasPrefix("Transfer:") : $0.hasPrefix("900") } == 1)
    }
}
