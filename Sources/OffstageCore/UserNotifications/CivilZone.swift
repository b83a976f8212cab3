// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// A machine's local time, as a parameter of a rule.
package struct CivilZone: Sendable {
    /// The local time at an instant; nil if it cannot be determined.
    package var time: @Sendable (Date) -> CivilTime?
    /// The first instant of a local time; for a time that is skipped when clocks are put forward, the first instant
    /// after the gap; nil if it cannot be determined.
    package var instant: @Sendable (CivilTime) -> Date?

    package init(
        time: @escaping @Sendable (Date) -> CivilTime?,
        instant: @escaping @Sendable (CivilTime) -> Date?
    ) {
        self.time = time
        self.instant = instant
    }
}

extension CivilZone {
    /// A day. Within the two days around a clock reading, clocks are changed at most once.
    private static let day: Int64 = 86_400

    /// The first instant at which clocks show a local time, computed from their offset from UTC with a few queries,
    /// whatever the zone.
    ///
    /// - Parameters:
    ///   - reading: the local time, as seconds since 1970 if clocks showed UTC.
    ///   - ahead: how many seconds clocks are ahead of UTC at an instant; nil if that cannot be determined.
    /// - Returns: seconds since 1970; for a time that is skipped when clocks are put forward, the first instant after the
    ///   gap; nil if it cannot be determined.
    package static func firstInstant(showing reading: Int64, ahead: (Int64) -> Int64?) -> Int64? {
        var (old, new) = (reading.subtractingClamped(day), reading.addingClamped(day))
        guard let former = ahead(old), let later = ahead(new) else { return nil }
        // Of two equal local times, the first is the one before clocks are put back.
        for offset in former == later ? [former] : [former, later] {
            let instant = reading.subtractingClamped(offset)
            if ahead(instant) == offset { return instant }
        }
        guard former < later else { return nil }
        while old + 1 < new {
            let middle = old + (new - old) / 2
            if ahead(middle) == former { old = middle } else { new = middle }
        }
        return new
    }
}
