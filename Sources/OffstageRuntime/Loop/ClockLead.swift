// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Synchronization

/// How far the daemon's time is ahead of the machine's: zero, unless a developer has advanced it (`time.advance`). The
/// daemon uses only its own time; processes and files use only the machine's.
package final class ClockLead: Sendable {
    private let bits = Atomic<UInt64>(0)

    package init() {}

    /// Seconds; never decreases.
    package var seconds: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    package func grow(by seconds: Double) {
        bits.store(Durations.nearest(to: self.seconds + max(0, seconds)).bitPattern, ordering: .relaxed)
    }
}
