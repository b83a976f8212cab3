// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

/// The daemon's clocks, as a `Moment`, including their lead.
package struct SystemClock: Sendable {
    private let source: ClockSource
    private let bootID: String
    /// Shared with the loop, whose alarms use the same time.
    package let lead: ClockLead

    package init(lead: ClockLead = ClockLead(), source: ClockSource = .machine) {
        self.lead = lead
        self.source = source
        bootID = source.bootID
    }

    /// The clocks of a loop.
    package init(of loop: EventLoop) { self.init(lead: loop.lead, source: loop.clock) }

    package func now() -> Moment {
        let ahead = lead.seconds
        return Moment(
            wall: Date(timeIntervalSince1970: source.wall + ahead),
            bootID: bootID,
            uptime: source.uptime + ahead
        )
    }

    /// Seconds that the machine was suspended in this boot: one clock continues meanwhile, and the other does not. Only
    /// its growth is meaningful, to a millisecond.
    package func suspended() -> Double { source.suspended }
}
