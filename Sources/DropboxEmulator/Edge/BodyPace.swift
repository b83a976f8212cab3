// SPDX-License-Identifier: Apache-2.0

/// The pace at which a body is read: takes the size and time of each arrival, and returns how long to wait.
///
/// A line has no memory: a sender cannot make up for time in which it was silent, except for a moment, since a thread
/// may be late.
package struct BodyPace: Sendable {
    /// Bytes a second.
    private let rate: Double
    /// When the bytes so far would have arrived at that rate; nil before the first.
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
