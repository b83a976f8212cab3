// SPDX-License-Identifier: Apache-2.0

/// How long the machine was suspended since the last call. Time in which nothing ran counts against no app.
package struct MachineSleep {
    /// Seconds in this boot that have been reported (`SystemClock.suspended`).
    private var told: Double
    /// The shortest sleep that is reported, in seconds; longer than a busy machine may take between reading two clocks.
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
