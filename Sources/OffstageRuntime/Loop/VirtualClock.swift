// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Time that passes only on request: the clock of a test's machine, on which a day takes no longer than its events.
///
/// Outlives the loops that use it, as the machine's clocks outlive a daemon.
package final class VirtualClock: Sendable {
    /// The clocks' times at the start, in seconds.
    private let start: (uptime: Double, wall: Double)
    package let bootID: String
    private let bits = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - uptime: the boot-time clock at the start, in seconds.
    ///   - wall: the wall clock at the start, in seconds since 1970.
    ///   - bootID: identifies the boot.
    package init(uptime: Double = 1000, wall: Double = 1_700_000_000, bootID: String = "virtual") {
        start = (uptime, wall)
        self.bootID = bootID
    }

    /// Seconds that have passed since the start.
    package var elapsed: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    package var uptime: Double { start.uptime + elapsed }
    package var wall: Double { start.wall + elapsed }

    package func pass(_ seconds: Double) {
        bits.store((elapsed + max(0, seconds)).bitPattern, ordering: .relaxed)
    }
}
