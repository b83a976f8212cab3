// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageRuntime

/// Writes the timeline's spans. Every call is part of a transaction that the caller began.
final class SpanTable {
    private let connection: SQLiteConnection
    let chronicle: ChronicleRecorder
    /// Spans written since the table was last shortened. Each run of the daemon shortens it with its first spans.
    private var sinceTrim = SpanTable.trimInterval
    /// Set after a failure: the timeline must not prevent other writes.
    private(set) var isBroken = false

    /// How many spans are written before the table is shortened again.
    private static let trimInterval: Int64 = 512

    init(_ connection: SQLiteConnection, _ chronicle: ChronicleRecorder) {
        self.connection = connection
        self.chronicle = chronicle
    }

    /// Writes entries; an entry with an existing number replaces the earlier one.
    func write(_ entries: [Chronicle.Entry]) throws(SQLiteError) {
        guard !isBroken else { return }
        do throws(SQLiteError) {
            for entry in entries { try put(entry) }
        } catch {
            // Lack of space and similar errors affect the whole transaction, and pass.
            guard !error.isTrouble else { throw error }
            isBroken = true
            // A refused statement leaves the transaction as it was. After damage, the commit is repeated without the
            // spans.
            if error.isDamage { throw error }
        }
    }

    private func put(_ entry: Chronicle.Entry) throws(SQLiteError) {
        let row = try connection.statement(
            """
            INSERT INTO spans (number, began, ended, kind, owner, place, word, detail, transfer, attempt, bytes, upload)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            ON CONFLICT (number) DO UPDATE SET ended = excluded.ended
            """
        )
        let span = TimelineRow(entry.span)
        row.bind(1, entry.number)
        row.bind(2, span.began.timeIntervalSinceReferenceDate)
        row.bind(3, span.ended.timeIntervalSinceReferenceDate)
        row.bind(4, span.kind)
        row.bind(5, span.owner)
        row.bind(6, span.place)
        row.bind(7, span.word)
        row.bind(8, span.detail)
        if let transfer = span.transfer { row.bind(9, transfer.rawValue) } else { row.bindNull(9) }
        if let number = span.number { row.bind(10, Int64(number)) } else { row.bindNull(10) }
        if let bytes = span.bytes { row.bind(11, bytes) } else { row.bindNull(11) }
        if let isUpload = span.isUpload { row.bind(12, isUpload ? 1 : 0) } else { row.bindNull(12) }
        try row.run()
        sinceTrim += 1
        if sinceTrim >= Self.trimInterval { try trim(below: entry.number.subtractingClamped(Chronicle.kept)) }
    }

    private func trim(below number: Int64) throws(SQLiteError) {
        sinceTrim = 0
        // A long-lasting state has an old number, but is as young as its end.
        let row = try connection.statement(
            """
            DELETE FROM spans WHERE number <= ?1
                AND ended <= (SELECT ended FROM spans WHERE number > ?1 ORDER BY number LIMIT 1)
            """
        )
        row.bind(1, number)
        try row.run()
    }
}
