// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// A finished transfer that is due to be pruned, as it was when found.
struct DueEnd: Sendable {
    var id: TransferID
    /// As stored. A transfer that was begun again and has ended once more has a different value.
    var finishedAt: Double
    /// The places where it may have left files.
    var transfer: Transfer?
}

/// The query for ended transfers; a test reads its plan.
package enum PruneSQL {
    /// An index gives the rows in order, and the query ends after the limit. A transfer may have left files if it was
    /// sent from a private copy, failed, or belongs to an app: only such records are read.
    package static let oldestEnds = """
        SELECT id, finished_at, session IS NOT NULL OR result <> 'completed'
            OR (SELECT instr(spec, CAST('"isSnapshot":true' AS BLOB)) FROM records WHERE records.id = transfers.id) > 0
        FROM transfers WHERE finished_at IS NOT NULL AND event_pending = 0
        ORDER BY finished_at, id LIMIT ?1
        """
}

extension StoreReader {
    /// The oldest ends beyond the limit: so few that neither reading nor deleting them delays other requests.
    func dueEnds(finishedBefore date: Date, keeping count: Int) throws(SQLiteError) -> [DueEnd] {
        // checked: both are lengths from 0 to 2^53
        let excess = try Tallies(connection).forgettable - min(max(0, count), Int(TransferID.greatest))
        var due: [DueEnd] = []
        var withFiles: [Int] = []
        let rows = try connection.statement(PruneSQL.oldestEnds)
        defer { rows.reset() }
        rows.bind(1, Int64(Self.prunedAtOnce))
        while try rows.step() {
            let finishedAt = rows.double(1)
            guard due.count < excess || finishedAt < date.timeIntervalSinceReferenceDate else { break }
            if rows.integer(2) != 0 { withFiles.append(due.count) }
            due.append(DueEnd(id: TransferID(rawValue: rows.integer(0)), finishedAt: finishedAt))
        }
        rows.reset()
        for index in withFiles { due[index].transfer = try connection.transfer(due[index].id.rawValue, coder: coder) }
        return due
    }

    /// The number of transfers pruned at once; deleting them takes a few milliseconds.
    static let prunedAtOnce = 128
}
