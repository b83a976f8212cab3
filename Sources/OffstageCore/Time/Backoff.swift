// SPDX-License-Identifier: Apache-2.0

/// Delays that double with each consecutive failure: the one rule for all retries.
package struct Backoff: Sendable, Equatable {
    /// Seconds after the first failure.
    package let first: Double
    /// The maximum, in seconds.
    package let longest: Double

    /// More doublings than any delay needs, and few enough for any integer type.
    private static let mostDoublings = 40

    /// - Parameters:
    ///   - first: seconds after the first failure.
    ///   - longest: the maximum, in seconds; infinite for no limit.
    package init(first: Double, longest: Double) {
        self.first = first
        self.longest = longest
    }

    /// Seconds to wait after so many consecutive failures, for callers that count failures.
    package func delay(after failures: Int) -> Double {
        let doublings = min(max(0, failures.subtractingClamped(1)), Self.mostDoublings)
        return min(longest, first * Double(1 << doublings))
    }

    /// Seconds to wait after the next failure, for callers that remember their last delay; 0 if there was none.
    package func delay(following last: Double) -> Double { min(longest, max(first, last * 2)) }
}
