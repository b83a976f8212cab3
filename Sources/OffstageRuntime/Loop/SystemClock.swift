// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCore

/// The machine's clocks as a `Moment`, advanced by the lead.
package struct SystemClock: Sendable {
    private let bootID: String
    /// Shared with the loop, whose alarms use the same time.
    package let lead: ClockLead

    package init(lead: ClockLead = ClockLead()) {
        self.lead = lead
        bootID =
            (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
            .split(separator: "\n").first.map(String.init) ?? "unknown"
    }

    package func now() -> Moment {
        let ahead = lead.seconds
        return Moment(
            wall: Date(timeIntervalSince1970: Self.seconds(CLOCK_REALTIME) + ahead),
            bootID: bootID,
            uptime: Self.seconds(CLOCK_BOOTTIME) + ahead
        )
    }

    /// Seconds that the machine has been suspended in this boot: the difference between a clock that continues during
    /// suspension and one that does not. Only its growth has a meaning, and less than a millisecond of it has none.
    package func suspended() -> Double { Self.seconds(CLOCK_BOOTTIME) - Self.seconds(CLOCK_MONOTONIC) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
