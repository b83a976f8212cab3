// SPDX-License-Identifier: Apache-2.0

/// Whether the page is in use: it ends after ten minutes without use. Times are seconds on a monotonic clock.
package struct PageAttendance: Sendable, Equatable {
    package static let patience = 600.0

    private var watching = 0
    private var seen: Double
    private let patience: Double

    package init(now: Double, patience: Double = PageAttendance.patience) {
        seen = now
        self.patience = patience
    }

    /// Records a request from a page.
    package mutating func visited(now: Double) { seen = max(seen, now) }

    /// Records the number of pages that receive updates.
    package mutating func watching(_ count: Int, now: Double) {
        if watching > 0 || count > 0 { seen = max(seen, now) }
        watching = count
    }

    /// When the page will end; nil while it is in use.
    package var end: Double? { watching > 0 ? nil : seen + patience }

    package func isOver(now: Double) -> Bool { end.map { now >= $0 } ?? false }
}
