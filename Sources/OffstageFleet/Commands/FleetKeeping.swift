// SPDX-License-Identifier: Apache-2.0
package import OffstageCommands
import OffstageCore

extension FleetPruneCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let (database, values) = (try context.open(), ["\(age)", isDryRun ? "t" : "f"])
        let dropped = try database.ask(
            """
            SELECT first_id, last_id, rows, bytes \
            FROM offstage.prune(now() - make_interval(secs => $1::double precision), $2)
            """,
            values,
            patience: DatabaseClient.longPatience
        ).compactMap(Partition.init)
        let outcomes =
            try database.ask(
                "SELECT offstage.prune_outcomes(now() - make_interval(secs => $1::double precision), $2) AS outcomes",
                values,
                patience: DatabaseClient.longPatience
            ).first?.number("outcomes", Counts.self) ?? 0
        if context.command.printsJSON {
            context.output.print(try JSONText.of(Document(dropped: dropped, outcomes: outcomes)))
            return .success
        }
        for part in dropped {
            context.output.print(
                "\(isDryRun ? "Would drop" : "Dropped") \(Format.count(part.rows, "row")), \(part.first) to \(part.last), "
                    + "\(Format.bytes(part.bytes))."
            )
        }
        if outcomes > 0 {
            let verb = isDryRun ? "Would forget" : "Forgot"
            context.output.print("\(verb) \(Format.count(outcomes, "outcome")) of devices.")
        }
        if dropped.isEmpty { context.output.print("No partition is old enough, with rows that have all ended.") }
        return .success
    }

    struct Document: Encodable {
        let dropped: [Partition]
        let outcomes: Int
    }

    /// In `--json` output (docs/json.md).
    struct Partition: Encodable {
        let first: Int64
        let last: Int64
        let rows: Int
        let bytes: Int64

        init?(_ record: FleetRecord) {
            guard let first = record.number("first_id", FleetRowNumbers.self),
                let last = record.number("last_id", FleetRowNumbers.self)
            else { return nil }
            self.first = first
            self.last = last
            rows = record.number("rows", Counts.self) ?? 0
            bytes = record.number("bytes", ByteCounts.self) ?? 0
        }
    }
}

extension FleetRestoredCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let answer = try context.open().ask(
            "SELECT members, rows FROM offstage.restored()",
            patience: DatabaseClient.longPatience
        ).first
        let members = answer?.number("members", Counts.self) ?? 0
        let rows = answer?.number("rows", Counts.self) ?? 0
        if context.command.printsJSON {
            context.output.print(try JSONText.of(["members": members, "rows": rows]))
        } else {
            context.output.print(
                "Fenced \(Format.count(members, "member")); \(Format.count(rows, "row")) that they held "
                    + "\(rows == 1 ? "waits" : "wait") again. Members may be let in."
            )
        }
        return .success
    }
}

extension FleetGrantCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let database = try context.open()
        do throws(DatabaseError) {
            try database.ask(
                "SELECT offstage.grant_role($1, $2, $3, $4)",
                [role.rawValue, login, revokes ? "f" : "t", creates ? "t" : "f"]
            )
        } catch {
            guard error.code == "42704" else { throw error }
            throw CommandFailure(
                "The database has no login '\(login)': create it there, or add --create.",
                .notFound
            )
        }
        let done = revokes ? "is no longer \(role.article) of the fleet" : "is \(role.article) of the fleet"
        if context.command.printsJSON {
            context.output.print(
                try JSONText.of(["login": login, "role": role.rawValue, "is": revokes ? "revoked" : "granted"])
            )
        } else {
            context.output.print("\(login) \(done).")
        }
        return .success
    }
}

extension FleetGrantCommand.Role {
    var article: String {
        switch self {
        case .viewer, .submitter, .member: "a \(rawValue)"
        case .operator: "an operator"
        }
    }
}
