// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore

/// Time as places on a line of so many units: columns of a terminal, or some points of a picture.
package struct TimelineScale: Sendable, Equatable {
    package let from: Date
    package let until: Date
    package let units: Int

    package init(from: Date, until: Date, units: Int) {
        self.from = from
        // Nothing is divided by 0, whatever was asked for.
        self.until = max(until, from + 1)
        self.units = max(1, units)
    }

    package var seconds: Double { until.timeIntervalSince(from) }

    /// The unit in which a time lies; outside of the line, the nearest one.
    package func unit(of date: Date) -> Int { min(units - 1, max(0, Int(nearest: exact(date).rounded(.down)))) }

    /// The units that a span takes, one at least; nil for a span that lies outside.
    package func range(_ began: Date, _ ended: Date) -> Range<Int>? {
        guard ended >= from, began < until else { return nil }
        let first = unit(of: began)
        let end = Int(nearest: exact(ended).rounded(.up))
        return first..<min(units, max(first + 1, end))
    }

    private func exact(_ date: Date) -> Double { date.timeIntervalSince(from) * Double(units) / seconds }
}
