// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// The transfers of a live table: what has not ended, and what has ended since it was opened.
package struct WatchedTable {
    /// Said below the table until rows come again.
    package var notice: String?
    /// How many there are of each state by the daemon's count, which knows those, too, that have no row here; nil to count
    /// the rows.
    package var counts: [String: Int]?
    /// Whether there may be transfers without a row, since one answer holds no more.
    package private(set) var isCut = false
    private var open: [TransferID: TransferRow] = [:]
    private var ended: [TransferRow] = []
    /// So many that have ended stay in sight.
    private static let longestEnded = 10

    package init() {}

    /// Begins anew with these rows.
    package mutating func replace(_ rows: [TransferRow]) {
        open = [:]
        notice = nil
        isCut = rows.count >= WatchTransfers.rowLimit
        if !isCut { counts = nil }
        for row in rows where row.kind != .finished { open[row.id] = row }
    }

    package mutating func take(_ event: TransferEvent) {
        switch event {
        case .changed(let row):
            open[row.id] = row.kind == .finished ? nil : row
        case .finished(let row):
            open[row.id] = nil
            ended.insert(row, at: 0)
            if ended.count > Self.longestEnded { ended.removeLast() }
        case .removed(let id):
            open[id] = nil
            ended.removeAll { $0.id == id }
        case .progress(let all):
            for progress in all {
                open[progress.id]?.bytesDone = progress.bytesDone
                open[progress.id]?.rate = progress.rate
                open[progress.id]?.standing = progress.standing
                if let total = progress.bytesTotal { open[progress.id]?.bytesTotal = total }
            }
        }
    }

    /// The table, cut to the height of the terminal.
    package func lines(width: Int, height: Int, usesColour: Bool, now: Date) -> [String] {
        let order: [TransferState.Kind: Int] = [.running: 0, .waiting: 1, .queued: 2, .paused: 3]
        let rows = open.values.sorted { left, right in
            (order[left.kind] ?? 4, left.id) < (order[right.kind] ?? 4, right.id)
        }
        var found: [String: Int] = [:]
        for row in rows { found[row.kind.rawValue, default: 0] += 1 }
        let counts = (self.counts ?? found).filter { $0.key != TransferState.Kind.finished.rawValue }
        let total = max(rows.count, counts.values.reduce(0) { $0.addingReportingOverflow($1).partialValue })
        let rate = rows.reduce(0) { $0 + $1.rate }
        let head = total == 0 ? "Nothing is under way." : "\(ListCommand.counts(counts)), \(Format.rate(rate))"
        let room = max(1, height - 3)
        let shown = Array((rows + ended).prefix(room))
        var lines = [DisplayWidth.truncated(head, to: width - 1)]
        if !shown.isEmpty {
            lines += TransferTable.table(shown, now: now).lines(width: width - 1, usesColour: usesColour)
        }
        if let notice {
            lines.append(DisplayWidth.truncated(notice, to: width - 1))
        } else if total > min(rows.count, room) {
            lines.append("… and \(total - min(rows.count, room)) more")
        }
        return lines
    }
}
