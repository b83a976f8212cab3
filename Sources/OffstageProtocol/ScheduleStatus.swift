// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// What the settings' schedule has to do with the limit of all transfers.
package struct ScheduleStatus: Codable, Sendable, Equatable {
    /// Whether an entry decides now; if not, what is usual holds, or what a person has set.
    package var isInForce: Bool
    /// Whether it lets nothing run.
    package var isPause: Bool
    /// When an entry next begins or ends.
    package var until: Date?

    package init(isInForce: Bool, isPause: Bool, until: Date?) {
        self.isInForce = isInForce
        self.isPause = isPause
        self.until = until
    }
}
