// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The queries of commands.
extension DatabaseClient {
    /// The most rows of one page.
    package static let largestPage = 1000

    /// A page of rows, newest first.
    ///
    /// - Parameters:
    ///   - before: only rows with lower numbers are returned; nil for the newest.
    ///   - states: only rows in these states are returned; nil for all.
    ///   - most: the maximum number of rows.
    /// - Returns: the rows.
    /// - Throws: `DatabaseError`.
    package func rows(
        before: Int64?,
        states: [FleetStanding.State]?,
        most: Int
    ) throws(DatabaseError) -> [ListedRow] {
        let answer = try ask(
            """
            SELECT id, queue, host, requires, priority, submitter, extract(epoch FROM submitted_at) AS submitted_at, label, path, \
            destination, bytes, is_repeatable, state, fence, member, wanted, extract(epoch FROM ready_at) AS ready_at, \
            extract(epoch FROM since) AS since, bytes_done, status, detail, NULL AS receipt FROM offstage.list($1, $2, $3)
            """,
            [
                before.map(String.init), states.map { "{\($0.map { "\($0.rawValue)" }.joined(separator: ","))}" },
                "\(min(most, Self.largestPage))",
            ]
        )
        let rows = answer.compactMap(ListedRow.init)
        // Otherwise reading page by page would never end.
        guard before.map({ limit in rows.allSatisfy { $0.id < limit } }) ?? true else {
            throw DatabaseError(.trouble, "the database answers the same rows again")
        }
        return rows
    }

    /// Rows by their numbers, in that order, without missing rows.
    package func rows(_ ids: [Int64]) throws(DatabaseError) -> [ListedRow] {
        var rows: [Int64: ListedRow] = [:]
        for part in ids.parts(of: Self.largestPage) {
            let answer = try ask(
                """
                SELECT id, queue, host, requires, priority, submitter, extract(epoch FROM submitted_at) AS submitted_at, label, \
                path, destination, bytes, is_repeatable, state, fence, member, wanted, extract(epoch FROM ready_at) AS ready_at, \
                extract(epoch FROM since) AS since, bytes_done, status, detail, receipt FROM offstage.row WHERE id = ANY ($1)
                """,
                [part.array]
            )
            for row in answer.compactMap(ListedRow.init) { rows[row.id] = row }
        }
        return ids.compactMap { rows[$0] }
    }

    /// The most queues and states that are counted separately, as in the statement.
    package static let mostCounts = 10_000

    /// How many rows the largest queues have in each state. Submitters can create any number of queues.
    package func counts() throws(DatabaseError) -> [FleetCount] {
        try ask(
            """
            SELECT queue, state, sum(rows)::bigint AS rows FROM offstage.count GROUP BY queue, state ORDER BY 3 DESC, 1 LIMIT 10000
            """
        ).compactMap(FleetCount.init)
    }

    /// How many rows there are in each state.
    package func totals() throws(DatabaseError) -> [FleetStanding.State: Int64] {
        FleetCount.byState(
            try ask("SELECT '' AS queue, state, sum(rows)::bigint AS rows FROM offstage.count GROUP BY state")
                .compactMap(FleetCount.init)
        )
    }
}

/// How many rows a queue has in a state.
package struct FleetCount: Sendable {
    let queue: String
    let state: FleetStanding.State
    let rows: Int64

    init?(_ record: FleetRecord) {
        guard let state = record.number("state", Counts.self).flatMap(FleetStanding.State.init(rawValue:)),
            let rows = record.number("rows", FleetTallies.self), let queue = record.text("queue", longest: 63)
        else { return nil }
        self.queue = queue.description
        self.state = state
        self.rows = rows
    }

    /// The sums by state, over all queues.
    static func byState(_ counts: [FleetCount]) -> [FleetStanding.State: Int64] {
        var sums: [FleetStanding.State: Int64] = [:]
        for count in counts { sums[count.state] = (sums[count.state] ?? 0).addingClamped(count.rows) }
        return sums
    }

    /// `12 rows: 3 leased, 9 done`.
    static func sentence(_ sums: [FleetStanding.State: Int64]) -> String {
        let total = sums.values.reduce(Int64(0)) { $0.addingClamped($1) }
        let parts = FleetStanding.State.allCases.compactMap { state in
            sums[state].flatMap { $0 > 0 ? "\($0) \(state.word)" : nil }
        }
        return total == 0 ? "no rows" : "\(total) row\(total == 1 ? "" : "s"): \(parts.joined(separator: ", "))"
    }
}

/// Numbers of rows. A sum of changes may be negative for a moment.
package enum FleetTallies: ForeignValueRule {
    package static let range: ClosedRange<Int64> = 0...(1 << 60)
    package static let noun = "a number of rows"
}

extension Array {
    /// Splits the array into parts of at most `count` elements.
    func parts(of count: Int) -> [[Element]] {
        // checked: strides within the array
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}

extension [Int64] {
    /// A PostgreSQL array literal.
    var array: String { "{\(map(String.init).joined(separator: ","))}" }
}
