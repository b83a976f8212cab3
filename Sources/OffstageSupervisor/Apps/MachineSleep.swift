// SPDX-License-Identifier: Apache-2.0

/// For how long the machine was suspended since it was asked last: time in which nothing ran is held against nobody.
package struct MachineSleep {
    /// Seconds in this boot, as far as they were told (`SystemClock.suspended`).
    private var told: Double
    /// Seconds: more than may pass between the readings of two clocks on a busy machine.
    package static let shortest = 0.1

    package init(suspended: Double) { told = suspended }

    /// Seconds of sleep that nobody was told of; nil for none.
    package mutating func takeNew(suspended: Double) -> Double? {
        let seconds = suspended - told
        guard seconds > Self.shortest else { return nil }
        told = suspended
        return seconds
    }
}
