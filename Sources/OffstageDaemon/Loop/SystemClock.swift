// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCore

/// The machine's clocks as a `Moment`, with the lead that they were given.
package struct SystemClock: Sendable {
    private let bootID: String
    /// Shared with the loop, whose alarms go by the same time.
    package let lead: ClockLead

    package init(lead: ClockLead = ClockLead()) {
        self.lead = lead
        bootID =
            (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
            .split(separator: "\n").first.map(String.init) ?? "unknown"
    }

    package func now() -> Moment {
        var boot = timespec()
        clock_gettime(CLOCK_BOOTTIME, &boot)
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        let ahead = lead.seconds
        return Moment(
            wall: Date(timeIntervalSince1970: Double(wall.tv_sec) + Double(wall.tv_nsec) / 1e9 + ahead),
            bootID: bootID,
            uptime: Double(boot.tv_sec) + Double(boot.tv_nsec) / 1e9 + ahead
        )
    }
}
