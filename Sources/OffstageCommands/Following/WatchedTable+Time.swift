// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

extension WatchedTable {
    /// Seconds until transfers are done, as far as known.
    package struct TimeLeft: Sendable, Equatable {
        /// The time of running transfers; nil if a total is unknown, or nothing moves.
        package var running: Double?
        /// The time of running and queued transfers; nil if a total is unknown, or nothing is queued.
        package var all: Double?

        package init(running: Double? = nil, all: Double? = nil) {
            self.running = running
            self.all = all
        }
    }

    /// The time at the current rate. Waiting and paused transfers are left out, since it is unknown when they continue.
    ///
    /// - Parameters:
    ///   - rows: the transfers that have not ended.
    ///   - areAll: whether there are no other transfers.
    /// - Returns: the seconds.
    package static func timeLeft(_ rows: some Sequence<TransferRow>, areAll: Bool) -> TimeLeft {
        var rate = 0.0
        // Doubles, since totals come from servers.
        var running: Double? = 0
        var line: Double? = 0
        var hasLine = false
        for row in rows {
            let left = row.bytesTotal.map { max(0, Double($0) - Double(row.bytesDone)) }
            switch row.kind {
            case .running:
                rate += max(0, row.rate)
                running = add(running, left)
            case .queued:
                hasLine = true
                line = add(line, left)
            case .waiting, .paused, .finished: break
            }
        }
        guard rate > 0, rate.isFinite, let running else { return TimeLeft() }
        let all = hasLine && areAll ? line.map { ($0 + running) / rate } : nil
        return TimeLeft(running: running / rate, all: all)
    }

    private static func add(_ sum: Double?, _ more: Double?) -> Double? {
        guard let sum, let more else { return nil }
        return sum + more
    }
}
