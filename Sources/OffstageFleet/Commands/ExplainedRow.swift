// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCommands
import OffstageCore

/// A row with the reason why it is not done, in `--json` output (docs/json.md).
struct ExplainedRow: Encodable {
    let id: Int64
    let state: String
    let path: String
    let url: String
    /// Without a full stop.
    let summary: String
    let advice: String
    let since: Date?
    let readyAt: Date?
    let ahead: Int
    let labels: [String]

    init(_ row: ListedRow, _ standing: FleetStanding) {
        id = row.id
        state = standing.state.word
        path = row.path
        url = row.destination
        summary = standing.sentence
        advice = standing.advice(for: row.id)
        since = row.since
        readyAt = standing.readyAt
        ahead = standing.ahead
        labels = standing.requires.texts
    }

    /// Asks the database for the reasons of rows.
    ///
    /// - Returns: the reasons in the order of the rows, without rows that were removed meanwhile.
    static func all(
        _ database: DatabaseClient,
        _ rows: [ListedRow]
    ) throws(DatabaseError) -> [(listed: ListedRow, row: ExplainedRow)] {
        let answers = try database.askEach(
            """
            SELECT state, queue, is_queue_paused, host, host_most, host_running, requires, ahead, \
            extract(epoch FROM ready_at) AS ready_at, member, detail, member_state, is_silent, has_room, lacking, members \
            FROM offstage.why($1)
            """,
            rows.map { ["\($0.id)"] }
        )
        return zip(rows, answers.map(FleetStanding.init)).compactMap { row, standing in
            standing.map { (listed: row, row: ExplainedRow(row, $0)) }
        }
    }
}

extension DatabaseClient {
    /// The most rows that are explained if no numbers are given.
    private static let mostOpen = 20
    private static let mostEnded = 5

    /// The newest rows that have not ended, and the newest that failed or whose outcome is unknown.
    ///
    /// - Parameter withLeased: whether rows under way are included.
    /// - Returns: the rows of each kind, newest first.
    /// - Throws: `DatabaseError`.
    func openRows(withLeased: Bool) throws(DatabaseError) -> [ListedRow] {
        let states: [FleetStanding.State] = [.waiting, .later, .paused] + (withLeased ? [.leased] : [])
        return try rows(before: nil, states: states, most: Self.mostOpen)
            + rows(before: nil, states: [.failed, .unknown], most: Self.mostEnded)
    }

    /// The longest time that the first row of a lane has waited for a member, in seconds; 0 if none waits.
    func oldestWait() throws(DatabaseError) -> Double {
        let wait = try ask("SELECT extract(epoch FROM now() - offstage.oldest_wait()) AS wait").first?.raw("wait")
        return wait.flatMap(Double.init).map { max(0, $0) } ?? 0
    }
}
