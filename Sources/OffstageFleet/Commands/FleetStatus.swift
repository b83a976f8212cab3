// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCommands
import OffstageCore

extension FleetStatusCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let place = try context.place()
        let address = try DatabaseAddress(place.database)
        let database = try DatabaseClient(address)
        let document = try Document(database, address)
        if context.command.printsJSON {
            context.output.print(try JSONText.of(document))
            return .success
        }
        let now = context.command.now()
        context.output.print("The fleet \(document.fleet) at \(document.database), schema \(document.schema).")
        let waited = Format.duration(document.oldestWait)
        let wait = document.oldestWait > 0 ? "; the first in line has waited \(waited)" : ""
        context.output.print(FleetCount.sentence(document.sums) + wait)
        context.output.print("")
        context.print(FleetQueuesCommand.Queue.table(document.queues, now: now))
        context.output.print("")
        if document.members.isEmpty {
            context.output.print("The fleet has no members.")
        } else {
            context.print(ListedMember.table(document.members, now: now))
        }
        if !document.limits.isEmpty {
            context.output.print("")
            context.print(FleetLimitCommand.Limit.table(document.limits))
        }
        if !document.outcomes.isEmpty {
            context.output.print("")
            context.print(DeviceOutcome.table(document.outcomes, now: now))
        }
        if !document.open.isEmpty {
            context.output.print("")
            for one in document.open {
                let line = "\(one.id)  \(one.path.pathParts.last ?? one.path): \(one.summary)"
                for part in DisplayWidth.wrapped(line, to: context.output.columns) { context.output.print(part) }
            }
        }
        return .success
    }

    /// In `--json` output (docs/json.md).
    struct Document: Encodable {
        let fleet: String
        /// Without a password.
        let database: String
        let schema: Int
        let counts: [String: Int64]
        /// Seconds.
        let oldestWait: Double
        let queues: [FleetQueuesCommand.Queue]
        /// The members that have not left.
        let members: [ListedMember]
        let limits: [FleetLimitCommand.Limit]
        /// The newest rows that make no progress.
        let open: [ExplainedRow]
        /// The latest outcomes of devices' own transfers.
        let outcomes: [DeviceOutcome]
        let sums: [FleetStanding.State: Int64]

        private enum CodingKeys: CodingKey {
            case fleet, database, schema, counts, oldestWait, queues, members, limits, open, outcomes
        }

        init(_ database: DatabaseClient, _ address: DatabaseAddress) throws {
            fleet = try FleetIdentity(database).id
            self.database = address.description
            schema = try SchemaState(database).version
            let all = try database.counts()
            sums = try database.totals()
            counts = Dictionary(uniqueKeysWithValues: sums.map { ($0.key.word, $0.value) })
            oldestWait = try database.oldestWait()
            queues = try FleetQueuesCommand.Queue.all(database, all)
            members = try ListedMember.all(database).filter { $0.state != "left" }
            limits = try FleetLimitCommand.Limit.all(database)
            open = try ExplainedRow.all(database, try database.openRows(withLeased: false)).map(\.row)
            outcomes = try DeviceOutcome.last(20, database)
        }
    }
}
