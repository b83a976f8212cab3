// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import OffstageCore

/// Streams the columns of every unfinished transfer that the queue keeps in memory.
///
/// If most transfers have ended, it uses the index of kinds and skips the ended ones. Otherwise it reads the table
/// itself, which is twice as fast for each row.
package struct UnfinishedScan {
    /// One pass with its rows and condition; a test reads its plan.
    package enum Pass: String, Sendable, CaseIterable {
        case all, queued, waiting, running, paused

        /// Parameters: 1 the id to stay above, 2 the greatest id.
        package var rows: String {
            let source =
                self == .all
                ? "transfers NOT INDEXED WHERE kind <> 'finished'"
                : "transfers INDEXED BY transfers_by_kind WHERE kind = '\(rawValue)'"
            return "\(source) AND id > ?1 AND id <= ?2 ORDER BY id"
        }
    }

    private let connection: SQLiteConnection

    /// The value in the column of a session's limit for each host if the transfer's record must be read
    /// (`TransferSummary.mustBeRead`): no task of a session has it.
    static let mustBeRead: Int64 = -1

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// - Returns: the number of invalid rows, which were skipped.
    func run(_ body: (TransferSummary) -> Void) throws(SQLiteError) -> Int {
        let beyond = "id > \(TransferID.greatest)"
        var leftOut =
            try connection.integer("SELECT COUNT(*) FROM transfers WHERE kind <> 'finished' AND \(beyond)") ?? 0
        let kinds = try Tallies(connection).kinds
        let finished = kinds[.finished] ?? 0
        // checked: no count is less than 0
        let isMostlyOver = kinds.allSatisfy { $0.key == .finished || $0.value < finished / 8 }
        for pass in isMostlyOver ? Pass.allCases.filter({ $0 != .all }) : [.all] {
            leftOut += try run(pass, body)  // checked: neither is more than there are rows
        }
        return Int(clamping: leftOut)
    }

    private func run(_ pass: Pass, _ body: (TransferSummary) -> Void) throws(SQLiteError) -> Int64 {
        var leftOut: Int64 = 0
        var last: Int64 = 0
        while true {
            do throws(SQLiteError) {
                try run(pass, after: &last, body)
                return leftOut
            } catch {
                // A value is too long to be ours: the row is skipped.
                guard error.code == SQLITE_TOOBIG, let next = try self.next(pass, after: last) else { throw error }
                last = next
                leftOut += 1  // checked: one for each row
            }
        }
    }

    /// The first id of a pass above this one.
    private func next(_ pass: Pass, after last: Int64) throws(SQLiteError) -> Int64? {
        let rows = try connection.prepare("SELECT id FROM \(pass.rows) LIMIT 1")
        defer { rows.finalize() }
        rows.bind(1, last)
        rows.bind(2, TransferID.greatest)
        return try rows.step() ? rows.integer(0) : nil
    }

    /// Runs a pass from after an id, which is updated to the last one read.
    private func run(
        _ pass: Pass,
        after last: inout Int64,
        _ body: (TransferSummary) -> Void
    ) throws(SQLiteError) {
        let rows = try connection.prepare(
            """
            SELECT id, owner, host_key, priority, kind, expiry_delay, expiry_wall, expiry_boot, expiry_uptime,
                session, connections_per_host
            FROM \(pass.rows)
            """
        )
        defer { rows.finalize() }
        rows.bind(1, last)
        rows.bind(2, TransferID.greatest)
        // A hundred thousand transfers have few owners, hosts and boots: each needs only one string, not one per row.
        var shared: Set<String> = []
        var owner = ""
        var host = ""
        var boot = ""
        func update(_ text: inout String, from column: Int32) {
            if let other = rows.text(column, unlike: text) { text = shared.insert(other).memberAfterInsert }
        }
        let identifiers = try sessions()
        while try rows.step() {
            last = rows.integer(0)
            guard let kind = TransferState.Kind(rawValue: rows.text(4)) else { continue }
            update(&owner, from: 1)
            update(&host, from: 2)
            var expiry: Deadline?
            if !rows.isNull(5) {
                update(&boot, from: 7)
                expiry = Deadline(
                    setAt: Moment(
                        wall: Date(timeIntervalSinceReferenceDate: rows.seconds(6)),
                        bootID: boot,
                        uptime: rows.seconds(8)
                    ),
                    delay: rows.seconds(5)
                )
            }
            let limit = rows.isNull(10) ? 0 : rows.integer(10)
            let mustBeRead = limit < 0
            body(
                TransferSummary(
                    id: TransferID(rawValue: rows.integer(0)),
                    owner: owner,
                    hostKey: host,
                    priority: rows.double(3),
                    kind: kind,
                    expiry: expiry,
                    session: rows.isNull(9) ? nil : identifiers[rows.integer(9)],
                    // checked: held between small numbers
                    connectionsPerHost: rows.isNull(10) || mustBeRead ? nil : Int(min(max(limit, 1), 1024)),
                    mustBeRead: mustBeRead
                )
            )
        }
    }

    /// The identifiers of the sessions that have unfinished tasks.
    private func sessions() throws(SQLiteError) -> [Int64: String] {
        let rows = try connection.prepare(
            """
            SELECT id, identifier FROM sessions WHERE EXISTS
                (SELECT 1 FROM transfers WHERE session = sessions.id AND kind <> 'finished')
            """
        )
        defer { rows.finalize() }
        var identifiers: [Int64: String] = [:]
        while try rows.step() { identifiers[rows.integer(0)] = rows.text(1) }
        return identifiers
    }
}
