// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore

/// Maps time to positions on a line of units, which are columns of a terminal or a few points of a picture.
package struct TimelineScale: Sendable, Equatable {
    package let from: Date
    package let until: Date
    package let units: Int

    package init(from: Date, until: Date, units: Int) {
        self.from = from
        // Never divides by 0, whatever the arguments.
        self.until = max(until, from + 1)
        self.units = max(1, units)
    }

    package var seconds: Double { until.timeIntervalSince(from) }

    /// The unit of a time; the nearest unit for a time outside the line.
    package func unit(of date: Date) -> Int { min(units - 1, max(0, Int(nearest: exact(date).rounded(.down)))) }

    /// The units of a span, at least one; nil for a span outside the line.
    package func range(_ began: Date, _ ended: Date) -> Range<Int>? {
        guard ended >= from, began < until else { return nil }
        let first = unit(of: began)
        let end = Int(nearest: exact(ended).rounded(.up))
        return first..<min(units, max(first + 1, end))
    }

    private func exact(_ date: Date) -> Double { date.timeIntervalSince(from) * Double(units) / seconds }
}
