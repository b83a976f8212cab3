// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCommands
import OffstageCore

extension FleetWhyCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let database = try context.open()
        let rows: [ListedRow]
        if ids.isEmpty {
            rows = try database.openRows(withLeased: true)
        } else {
            rows = try database.rows(ids)
            guard !rows.isEmpty else { throw CommandFailure(FleetShowCommand.absent(ids), .notFound) }
        }
        let pairs = try ExplainedRow.all(database, rows)
        if context.command.printsJSON {
            context.output.print(try JSONText.of(Document(rows: pairs.map(\.row))))
        } else if pairs.isEmpty {
            context.output.print("Every row of the fleet is done.")
        }
        if !context.command.printsJSON {
            for (row, reason) in pairs {
                for line in lines(row, reason, context) { context.output.print(line) }
            }
        }
        let missing = Set(ids).subtracting(rows.map(\.id)).sorted()
        guard !missing.isEmpty else { return .success }
        context.output.complain("offstage: \(FleetShowCommand.absent(missing))")
        return .notFound
    }

    struct Document: Encodable {
        let rows: [ExplainedRow]
    }

    private func lines(_ row: ListedRow, _ reason: ExplainedRow, _ context: FleetContext) -> [String] {
        let now = context.command.now()
        let since = row.since.map {
            ", since \(Format.time($0, now: now)) (\(Format.duration(now.timeIntervalSince($0))))"
        }
        let next = reason.readyAt.map { ", next at \(Format.time($0, now: now))" }
        var lines = ["\(row.id)  \(row.way)", "    \(reason.summary)\(since ?? "")\(next ?? "")"]
        lines.append("    \(reason.advice)")
        return lines.flatMap { DisplayWidth.wrapped($0, to: context.output.columns) }
    }
}
