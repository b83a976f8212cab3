// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import OffstageCore

/// Streams what the queue keeps in memory of every unfinished transfer.
struct UnfinishedScan {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// - Returns: how many rows were left out, since nothing can be done with them.
    func run(_ body: (TransferSummary) -> Void) throws(SQLiteError) -> Int {
        var leftOut =
            try connection.integer(
                "SELECT COUNT(*) FROM transfers WHERE kind <> 'finished' AND id > \(TransferID.greatest)"
            ) ?? 0
        var last: Int64 = 0
        while true {
            do throws(SQLiteError) {
                try run(after: &last, body)
                return Int(leftOut)
            } catch {
                // A value of a row is too long to be ours: it is gone round.
                guard error.code == SQLITE_TOOBIG,
                    let next = try connection.integer("SELECT id FROM transfers WHERE id > \(last) ORDER BY id LIMIT 1")
                else { throw error }
                last = next
                leftOut += 1
            }
        }
    }

    /// Begins after an id, which becomes the last one that was read.
    private func run(after last: inout Int64, _ body: (TransferSummary) -> Void) throws(SQLiteError) {
        let rows = try connection.prepare(
            """
            SELECT id, owner, host_key, priority, kind, expiry_delay, expiry_wall, expiry_boot, expiry_uptime,
                session, connections_per_host
            FROM transfers WHERE kind <> 'finished' AND id > ?1 AND id <= ?2 ORDER BY id
            """
        )
        defer { rows.finalize() }
        rows.bind(1, last)
        rows.bind(2, TransferID.greatest)
        // A hundred thousand transfers have few owners, hosts and boots: one string each, not one a row.
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
            body(
                TransferSummary(
                    id: TransferID(rawValue: rows.integer(0)),
                    owner: owner,
                    hostKey: host,
                    priority: rows.double(3),
                    kind: kind,
                    expiry: expiry,
                    session: rows.isNull(9) ? nil : identifiers[rows.integer(9)],
                    connectionsPerHost: rows.isNull(10) ? nil : Int(min(max(rows.integer(10), 1), 1024))
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
