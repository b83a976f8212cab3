// SPDX-License-Identifier: Apache-2.0

/// How long to wait until the next try of something that failed: ever longer, and not at the same time as others.
struct RetryPause {
    private let longest: Double
    private var last = 0.0

    private static let shortest = 0.1

    /// - Parameter longest: seconds.
    init(longest: Double) { self.longest = longest }

    /// Seconds until the next try.
    mutating func failed() -> Double {
        last = min(longest, max(Self.shortest, last * 2))
        return last * Double.random(in: 0.75...1.25)
    }

    mutating func succeeded() { last = 0 }
}
