// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCommands
import OffstageCore

extension FleetListCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let database = try context.open()
        var rows: [ListedRow] = []
        var hasMore = false
        var next = before
        repeat {
            // One more than wanted reveals whether there are more.
            // checked: at most a thousand million
            let wanted = listsAll ? DatabaseClient.largestPage : min(DatabaseClient.largestPage, most - rows.count + 1)
            let page = try database.rows(before: next, states: states, most: wanted)
            rows += page
            hasMore = page.count == wanted
            next = page.last?.id
        } while hasMore && (listsAll || rows.count <= most)
        hasMore = !listsAll && rows.count > most
        if hasMore { rows = Array(rows.prefix(most)) }
        if isQuiet, !context.command.printsJSON {
            context.output.write(rows.map { "\($0.id)\n" }.joined())
            return .success
        }
        let counts = try database.totals()
        if context.command.printsJSON {
            let words = Dictionary(uniqueKeysWithValues: counts.map { ($0.key.word, $0.value) })
            context.output.print(try JSONText.of(Document(rows: rows, hasMore: hasMore, counts: words)))
        } else {
            print(rows, hasMore, counts, context.output)
        }
        return .success
    }

    struct Document: Encodable {
        let rows: [ListedRow]
        let hasMore: Bool
        let counts: [String: Int64]
    }

    private func print(
        _ rows: [ListedRow],
        _ hasMore: Bool,
        _ counts: [FleetStanding.State: Int64],
        _ output: Output
    ) {
        if rows.isEmpty {
            output.print(
                states == nil && before == nil
                    ? "The fleet has no rows yet; 'offstage upload --help' says how to submit (--fleet)."
                    : "No row matches."
            )
        } else {
            let table = ListedRow.table(rows)
            for line in table.lines(width: output.columns, usesColour: output.usesColour) { output.print(line) }
        }
        var foot = FleetCount.sentence(counts)
        if hasMore, let last = rows.last {
            foot += " — \(rows.count) shown; older: offstage fleet list --before \(last.id), everything: --all"
        }
        for line in DisplayWidth.wrapped(foot, to: output.columns) {
            output.print(Style.faint(line, output.usesColour))
        }
    }
}

extension FleetShowCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let rows = try context.open().rows(ids)
        guard !rows.isEmpty else { throw CommandFailure(Self.absent(ids), .notFound) }
        if context.command.printsJSON {
            context.output.print(
                try showsReceipt
                    ? JSONText.of(Receipts(receipts: rows.map { .init(id: $0.id, receipt: $0.receipt) }))
                    : JSONText.of(Document(rows: rows))
            )
        } else {
            for (index, row) in rows.enumerated() {
                if index > 0 { context.output.print("") }
                for line in showsReceipt ? receipt(row) : lines(row, context) { context.output.print(line) }
            }
        }
        let missing = Set(ids).subtracting(rows.map(\.id)).sorted()
        if !missing.isEmpty { context.output.complain("offstage: \(Self.absent(missing))") }
        if showsReceipt, rows.contains(where: { $0.receipt == nil }) { return .failure }
        return missing.isEmpty ? .success : .notFound
    }

    struct Document: Encodable {
        let rows: [ListedRow]
    }

    struct Receipts: Encodable {
        struct Entry: Encodable {
            let id: Int64
            /// The receipt document from the member, as text; left out if there is none.
            let receipt: String?
        }

        let receipts: [Entry]
    }

    static func absent(_ ids: [Int64]) -> String {
        let few = ids.prefix(5).map(String.init).joined(separator: ", ")
        return "There is no row \(few)\(ids.count > 5 ? " and others" : ""): 'offstage fleet list' shows them."
    }

    private func receipt(_ row: ListedRow) -> [String] {
        ["\(row.id)  \(row.way)", row.receipt.map { "    \($0)" } ?? "    There is no receipt."]
    }

    private func lines(_ row: ListedRow, _ context: FleetContext) -> [String] {
        let now = context.command.now()
        func time(_ date: Date?) -> String? { date.map { Format.time($0, now: now) } }
        let fields: [(String, String?)] = [
            ("state", row.stateCell.text), ("file", row.path), ("to", row.destination),
            ("size", Format.bytes(row.bytes)),
            ("done", row.bytesDone > 0 ? Format.bytes(row.bytesDone) : nil), ("queue", row.queue),
            ("labels", row.labels.isEmpty ? nil : row.labels.joined(separator: ", ")), ("priority", "\(row.priority)"),
            ("label", row.label), ("submitted", time(row.submittedAt).map { "\($0) by \(row.submitter)" }),
            ("member", row.member), ("leases", row.fence > 0 ? "fence \(row.fence)" : nil), ("since", time(row.since)),
            ("not before", time(row.readyAt)), ("status", row.status.map(String.init)), ("detail", row.detail),
            ("repeatable", row.isRepeatable ? nil : "no: if its member is lost, its end is unknown"),
            ("receipt", row.receipt == nil ? nil : "'offstage fleet show --receipt \(row.id)'"),
        ]
        return ["\(row.id)  \(row.way)"]
            + fields.compactMap { name, value in
                value.map { "    \(name.padding(to: 11))\($0)" }
            }
    }
}

extension String {
    /// Pads with spaces to a width.
    func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
