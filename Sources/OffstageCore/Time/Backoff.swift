// SPDX-License-Identifier: Apache-2.0

/// Delays that double with each failure in a row: the one rule for everything that is tried again.
package struct Backoff: Sendable, Equatable {
    /// Seconds after the first failure.
    package let first: Double
    /// The most seconds.
    package let longest: Double

    /// More doublings than any delay needs, and few enough for every integer.
    private static let mostDoublings = 40

    /// - Parameters:
    ///   - first: seconds after the first failure.
    ///   - longest: the most seconds; infinite for no limit.
    package init(first: Double, longest: Double) {
        self.first = first
        self.longest = longest
    }

    /// Seconds to wait after so many failures in a row, for whatever counts them.
    package func delay(after failures: Int) -> Double {
        let doublings = min(max(0, failures.subtractingClamped(1)), Self.mostDoublings)
        return min(longest, first * Double(1 << doublings))
    }

    /// Seconds to wait after the next failure, for whatever remembers its last delay; 0 for none yet.
    package func delay(following last: Double) -> Double { min(longest, max(first, last * 2)) }
}
