// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The query for spans of the timeline; a test reads its plan.
package enum TimelineSQL {
    /// An index gives the rows in order from a given time: never more than `Chronicle.kept` and a few hundred.
    package static let spans = """
        SELECT spans.number, spans.began, spans.ended, spans.kind, spans.owner, spans.place, spans.word, spans.detail,
            spans.transfer, spans.attempt, spans.bytes, spans.upload, transfers.path
        FROM spans LEFT JOIN transfers ON transfers.id = spans.transfer
        WHERE (spans.ended, spans.number) > (?1, ?2) AND spans.began <= ?3
            AND (?4 IS NULL OR spans.owner IS NULL OR spans.owner = ?4)
            AND (?5 IS NULL OR spans.owner IS NULL OR (spans.kind = 'attempt'
                AND (spans.place = ?5 OR substr(spans.place, 1, length(?5) + 1) = ?5 || ':')))
        ORDER BY spans.ended, spans.number LIMIT ?6
        """
}

extension StoreReader {
    /// The limits of a timeline page: its rows, and the bytes of their texts. A page has to fit a frame, in which a
    /// byte may take six.
    private static let mostSpans = 4000
    private static let textBytes = 1 << 18

    /// A page of spans, by the times at which they ended.
    func timeline(_ query: TimelineQuery) throws(SQLiteError) -> TimelinePage {
        let limit = min(max(1, query.limit), Self.mostSpans)
        let rows = try connection.statement(TimelineSQL.spans)
        rows.bind(1, (query.after?.ended ?? query.from).timeIntervalSinceReferenceDate)
        rows.bind(2, query.after?.number ?? -1)
        rows.bind(3, query.until.timeIntervalSinceReferenceDate)
        rows.bind(4, query.app)
        rows.bind(5, query.host)
        rows.bind(6, Int64(limit) + 1)  // checked: at most 4000
        defer { rows.reset() }
        var page = TimelinePage(rows: [])
        var last: TimelineQuery.Position?
        var bytes = 0
        while try rows.step() {
            guard page.rows.count < limit, bytes < Self.textBytes else {
                page.next = last
                break
            }
            let row = Self.span(rows)
            last = .init(ended: Date(timeIntervalSinceReferenceDate: rows.seconds(2)), number: rows.integer(0))
            page.rows.append(row)
            if let transfer = row.transfer, !rows.isNull(12), page.paths[transfer] == nil {
                let path = rows.text(12)
                page.paths[transfer] = path
                bytes += path.utf8.count  // checked: of texts in memory
            }
            bytes += (row.owner?.utf8.count ?? 0) + (row.place?.utf8.count ?? 0)  // checked: of texts in memory
        }
        return page
    }

    private static func span(_ rows: SQLiteStatement) -> TimelineRow {
        func text(_ column: Int32) -> String? { rows.isNull(column) ? nil : rows.text(column) }
        var row = TimelineRow(
            began: Date(timeIntervalSinceReferenceDate: rows.seconds(1)),
            ended: Date(timeIntervalSinceReferenceDate: rows.seconds(2)),
            kind: rows.text(3),
            word: rows.text(6)
        )
        row.owner = text(4)
        row.place = text(5)
        row.detail = text(7)
        if !rows.isNull(8) { row.transfer = TransferID(rawValue: rows.integer(8)) }
        if !rows.isNull(9) { row.number = Int(clamping: rows.integer(9)) }
        if !rows.isNull(10) { row.bytes = rows.integer(10) }
        if !rows.isNull(11) { row.isUpload = rows.integer(11) != 0 }
        return row
    }
}
