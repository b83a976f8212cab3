// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Synchronization

/// By how much the daemon's time is ahead of the machine's: nothing, unless a developer has let time run
/// (`time.advance`). Everything in the daemon lives in its time; processes and files know only the machine's.
package final class ClockLead: Sendable {
    private let bits = Atomic<UInt64>(0)

    package init() {}

    /// Seconds; never less than before.
    package var seconds: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    package func grow(by seconds: Double) {
        bits.store(Durations.nearest(to: self.seconds + max(0, seconds)).bitPattern, ordering: .relaxed)
    }
}
