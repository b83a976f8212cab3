// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The local time of a machine, as a rule is handed it.
package struct CivilZone: Sendable {
    /// What clocks show at an instant; nil when that cannot be told.
    package var time: @Sendable (Date) -> CivilTime?
    /// The first instant at which clocks show a time; of one that they leave out when they are put forward the first
    /// instant after the gap; nil when that cannot be told.
    package var instant: @Sendable (CivilTime) -> Date?

    package init(
        time: @escaping @Sendable (Date) -> CivilTime?,
        instant: @escaping @Sendable (CivilTime) -> Date?
    ) {
        self.time = time
        self.instant = instant
    }
}
