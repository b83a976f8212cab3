// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// The transfers of a live table: the open ones, and those that have ended since it was opened.
package struct WatchedTable {
    /// Shown below the table until rows arrive again.
    package var notice: String?
    /// The daemon's count for each state, which includes transfers without a row here; nil to count the rows.
    package var counts: [String: Int]?
    /// Whether there are transfers without a row here.
    package private(set) var isCut = false
    /// The visible rows.
    package var scroll = ScrollPosition()
    /// Whether there is a keyboard to scroll with.
    package var hasKeyboard = false
    private var open: [TransferID: TransferRow] = [:]
    /// The numbers of `open` in the order of the table; nil if they must be sorted again.
    private var order: [TransferID]?
    private var ended: [TransferRow] = []
    /// How many ended transfers stay visible.
    private static let longestEnded = 10

    /// The most rows that are requested. Beyond that, there are only counts.
    package static let mostRows = 10_000

    package init() {}

    /// Starts over with these rows.
    package mutating func replace(_ rows: [TransferRow]) {
        open = [:]
        notice = nil
        add(rows, areAll: rows.count < WatchTransfers.rowLimit)
    }

    /// Adds rows that did not fit into the first answer.
    ///
    /// - Parameters:
    ///   - rows: the current rows.
    ///   - areAll: whether there are no more.
    package mutating func add(_ rows: [TransferRow], areAll: Bool) {
        isCut = !areAll
        if areAll { counts = nil }
        for row in rows where row.kind != .finished { open[row.id] = row }
        order = nil
    }

    package mutating func apply(_ event: TransferEvent) {
        if case .progress = event {} else { order = nil }
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

    /// The part of the table that fits the terminal, with the counts and the time left.
    package mutating func lines(width: Int, height: Int, usesColour: Bool, now: Date) -> [String] {
        let order = order ?? sorted()
        self.order = order
        var found: [String: Int] = [:]
        for row in open.values { found[row.kind.rawValue, default: 0] += 1 }
        let counts = (self.counts ?? found).filter { $0.key != TransferState.Kind.finished.rawValue }
        let total = max(order.count, counts.values.reduce(0) { $0.addingReportingOverflow($1).partialValue })
        let head = total == 0 ? "Nothing is under way." : head(ListCommand.counts(counts), within: width - 1)
        var lines = [DisplayWidth.truncated(head, to: width - 1)]
        let range = scroll.fit(rows: order.count + ended.count, room: height - 3)
        let shown = range.compactMap { $0 < order.count ? open[order[$0]] : ended[$0 - order.count] }
        if !shown.isEmpty {
            lines += TransferTable.table(shown, now: now).lines(width: width - 1, usesColour: usesColour)
        }
        if let line = notice ?? part(range, of: order.count + ended.count, without: total - order.count) {
            lines.append(DisplayWidth.truncated(line, to: width - 1))
        }
        return lines
    }

    /// Running transfers, then waiting, queued and paused ones.
    private func sorted() -> [TransferID] {
        let order: [TransferState.Kind: Int] = [.running: 0, .waiting: 1, .queued: 2, .paused: 3]
        return open.values.map { (order[$0.kind] ?? 4, $0.id) }.sorted { $0 < $1 }.map(\.1)
    }

    /// `7 transfers: 1 running, 6 queued, 1.00 MiB/s, 2:05 left (20:10 with the queue)`, as much of it as fits.
    private func head(_ counts: String, within width: Int) -> String {
        let rate = "\(counts), \(Format.rate(open.values.reduce(0) { $0 + $1.rate }))"
        let time = Self.timeLeft(open.values, areAll: !isCut)
        let running = time.running.map { "\(rate), \(Format.duration($0)) left" } ?? rate
        let all = time.all.map { "\(running) (\(Format.duration($0)) with the queue)" } ?? running
        return [all, running].first { DisplayWidth.of($0) <= width } ?? running
    }

    /// `rows 21–40 of 3006  (arrows, j, k, PageUp, PageDown, Home, End)`; nil when all are visible.
    private func part(_ range: Range<Int>, of count: Int, without others: Int) -> String? {
        guard range.count < count || others > 0 else { return nil }
        let rows = "rows \(range.lowerBound + 1)–\(range.upperBound) of \(count)"
        if others > 0 { return "\(rows), and \(others) more in 'offstage list'" }
        return hasKeyboard ? "\(rows)  (arrows, j, k, PageUp, PageDown, Home, End)" : rows
    }
}
