// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// The source of time for a loop and its daemon.
package enum ClockSource: Sendable {
    /// The kernel's clocks.
    case machine
    /// A test's clock, which stands still until the loop has nothing to do.
    case virtual(VirtualClock)

    /// Seconds since the machine started, including the time during which it was suspended.
    package var uptime: Double {
        switch self {
        case .machine: Self.seconds(CLOCK_BOOTTIME)
        case .virtual(let clock): clock.uptime
        }
    }

    /// Seconds since 1970.
    package var wall: Double {
        switch self {
        case .machine: Self.seconds(CLOCK_REALTIME)
        case .virtual(let clock): clock.wall
        }
    }

    /// Seconds that the machine was suspended in this boot. Only its growth is meaningful, to a millisecond.
    package var suspended: Double {
        switch self {
        case .machine: Self.seconds(CLOCK_BOOTTIME) - Self.seconds(CLOCK_MONOTONIC)
        case .virtual: 0
        }
    }

    /// The boot's identifier. For the machine's clocks this reads a file, so keep the result.
    package var bootID: String {
        switch self {
        case .machine:
            (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
                .split(separator: "\n").first.map(String.init) ?? "unknown"
        case .virtual(let clock): clock.bootID
        }
    }

    package var isVirtual: Bool {
        switch self {
        case .machine: false
        case .virtual: true
        }
    }

    static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
