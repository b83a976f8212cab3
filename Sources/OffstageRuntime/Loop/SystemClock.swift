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
        let ahead = lead.seconds
        return Moment(
            wall: Date(timeIntervalSince1970: Self.seconds(CLOCK_REALTIME) + ahead),
            bootID: bootID,
            uptime: Self.seconds(CLOCK_BOOTTIME) + ahead
        )
    }

    /// Seconds that the machine was suspended in this boot: one clock goes on meanwhile, and the other does not.
    /// Only how it grows means something, and a millisecond of that nothing.
    package func suspended() -> Double { Self.seconds(CLOCK_BOOTTIME) - Self.seconds(CLOCK_MONOTONIC) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
