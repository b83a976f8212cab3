// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCommands
import OffstageCore

extension FleetQueuesCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let database = try context.open()
        let queues = try Queue.all(database, try database.counts())
        if context.command.printsJSON {
            context.output.print(try JSONText.of(["queues": queues]))
            return .success
        }
        context.print(Queue.table(queues, now: context.command.now()))
        return .success
    }

    /// In `--json` output (docs/json.md).
    struct Queue: Encodable {
        let name: String
        let pausedAt: Date?
        let pausedBy: String?
        let counts: [String: Int64]

        /// - Parameters:
        ///   - record: an untrusted record.
        ///   - all: how many rows each queue has, by its name.
        init?(_ record: FleetRecord, _ all: [String: [FleetCount]]) {
            guard let name = record.text("name", longest: 63)?.description else { return nil }
            self.name = name
            pausedAt = record.date("paused_at")
            pausedBy = record.text("paused_by", longest: 63)?.description
            let sums = FleetCount.byState(all[name] ?? [])
            counts = Dictionary(uniqueKeysWithValues: sums.map { ($0.key.word, $0.value) })
        }

        /// Queues by name, with their row counts by state. If there are very many, only the paused and the first ones.
        static func all(_ database: DatabaseClient, _ counts: [FleetCount]) throws(DatabaseError) -> [Queue] {
            let counts = Dictionary(grouping: counts, by: \.queue)
            return try database.ask(
                """
                SELECT name, extract(epoch FROM paused_at) AS paused_at, paused_by FROM offstage.queue \
                ORDER BY paused_at IS NULL, name LIMIT 10000
                """
            ).compactMap { Queue($0, counts) }.sorted { $0.name < $1.name }
        }

        /// Queues as a table.
        static func table(_ queues: [Queue], now: Date) -> TextTable {
            let states = FleetStanding.State.allCases
            let columns = states.map { TextTable.Column($0.word.uppercased(), isRightAligned: true) }
            var table = TextTable([.init("QUEUE")] + columns + [.init("", isFlexible: true)])
            table.rows = queues.map { queue in
                let note = queue.pausedAt.map {
                    TextTable.Cell("paused by \(queue.pausedBy ?? "somebody"), \(Format.time($0, now: now))", .caution)
                }
                return [.init(queue.name)] + states.map { .init("\(queue.counts[$0.word] ?? 0)") } + [note ?? ""]
            }
            return table
        }
    }
}
