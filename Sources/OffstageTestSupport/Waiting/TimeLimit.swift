// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The moment on the monotonic clock at which a test gives up waiting.
package struct TimeLimit: Sendable {
    private let due: Double

    /// - Parameter seconds: from now.
    package init(seconds: Double) {
        due = Self.now + seconds
    }

    /// Seconds on the monotonic clock.
    package static var now: Double {
        var time = Glibc.timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Seconds left, never negative.
    package var remaining: Double { max(0, due - Self.now) }

    package var isOver: Bool { remaining <= 0 }

    /// The remaining time for poll(2), rounded up so that a wait does not end early.
    package var milliseconds: Int32 { Int32(min(3_600_000, (remaining * 1000).rounded(.up))) }

    /// The moment itself, for calls that take an absolute time.
    var timespec: Glibc.timespec {
        let whole = due.rounded(.down)
        return Glibc.timespec(tv_sec: Int(whole), tv_nsec: Int((due - whole) * 1e9))
    }
}
