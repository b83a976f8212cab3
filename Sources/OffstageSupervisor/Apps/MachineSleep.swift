// SPDX-License-Identifier: Apache-2.0

/// How long the machine was suspended since the last question. Time in which nothing ran counts against nobody.
package struct MachineSleep {
    /// Seconds in this boot that have been reported (`SystemClock.suspended`).
    private var told: Double
    /// Seconds; more than may pass between reading two clocks on a busy machine.
    package static let shortest = 0.1

    package init(suspended: Double) { told = suspended }

    /// Seconds of sleep that have not been reported; nil for none.
    package mutating func takeNew(suspended: Double) -> Double? {
        let seconds = suspended - told
        guard seconds > Self.shortest else { return nil }
        told = suspended
        return seconds
    }
}
