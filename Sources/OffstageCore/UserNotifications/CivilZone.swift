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
