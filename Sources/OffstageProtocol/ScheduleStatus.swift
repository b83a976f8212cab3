// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The effect of the settings' schedule on the limit of all transfers.
package struct ScheduleStatus: Codable, Sendable, Equatable {
    /// Whether an entry of the schedule applies now; otherwise the default or a person's setting applies.
    package var isInForce: Bool
    /// Whether no transfer may run.
    package var isPause: Bool
    /// When an entry next begins or ends.
    package var until: Date?

    package init(isInForce: Bool, isPause: Bool, until: Date?) {
        self.isInForce = isInForce
        self.isPause = isPause
        self.until = until
    }
}
