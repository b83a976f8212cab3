// SPDX-License-Identifier: Apache-2.0

/// Whether somebody looks at the page: it ends when nobody has for ten minutes. Seconds on a monotonic clock.
package struct PageAttendance: Sendable, Equatable {
    package static let patience = 600.0

    private var watching = 0
    private var seen: Double
    private let patience: Double

    package init(now: Double, patience: Double = PageAttendance.patience) {
        seen = now
        self.patience = patience
    }

    /// A page has asked for something.
    package mutating func visited(now: Double) { seen = max(seen, now) }

    /// So many pages are told what happens.
    package mutating func watching(_ count: Int, now: Double) {
        if watching > 0 || count > 0 { seen = max(seen, now) }
        watching = count
    }

    /// When it is over, as things are; nil while somebody looks.
    package var end: Double? { watching > 0 ? nil : seen + patience }

    package func isOver(now: Double) -> Bool { end.map { now >= $0 } ?? false }
}
