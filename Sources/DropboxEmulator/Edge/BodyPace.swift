// SPDX-License-Identifier: Apache-2.0

/// How fast a body is read: a value that is told what has come and when, and says how long to wait.
///
/// A line has no memory: what a sender that was silent has missed it does not make up for, but for a moment, since a
/// thread may be late.
package struct BodyPace: Sendable {
    /// Bytes a second.
    private let rate: Double
    /// When what has come so far would have come at that rate; nil before anything has.
    private var due: Double?
    /// Seconds that may be made up for.
    package static let catchUp = 0.05

    package init(rate: Double) { self.rate = rate }

    /// Receives so many bytes.
    ///
    /// - Returns: seconds to wait before more are read.
    package mutating func receive(_ count: Int, now: Double) -> Double {
        let next = max(due ?? now, now - Self.catchUp) + Double(count) / rate
        due = next
        return max(0, next - now)
    }
}
