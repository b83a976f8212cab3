// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// How long to wait before retrying after a failure: longer each time, and randomized.
struct RetryPause {
    private let backoff: Backoff
    private var last = 0.0

    /// - Parameter longest: the longest pause, in seconds.
    init(longest: Double) { backoff = Backoff(first: 0.1, longest: longest) }

    /// Seconds until the next try.
    mutating func failed() -> Double {
        last = backoff.delay(following: last)
        return last * Double.random(in: 0.75...1.25)
    }

    mutating func succeeded() { last = 0 }
}
