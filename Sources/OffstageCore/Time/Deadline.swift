// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The end of a duration: set at a moment, due so many seconds later.
package struct Deadline: Sendable, Hashable, Codable {
    /// When the duration began.
    package var setAt: Moment
    /// Seconds from `setAt` until the deadline is due.
    @Within<Durations> package var delay: Double

    package init(setAt: Moment, delay: Double) {
        self.setAt = setAt
        self.delay = delay
    }

    /// Seconds left, from 0 to `delay`: a clock set back after a reboot cannot make a wait longer than intended.
    ///
    /// The boot-time clock never goes back: a deadline set far in the future of the same boot was set by an earlier
    /// daemon whose clock was advanced. It is unknown how much of it has passed, so nothing is left.
    package func remaining(at now: Moment) -> Double {
        if now.bootID == setAt.bootID, setAt.uptime - now.uptime > Self.longestTurn { return 0 }
        return max(0, delay - now.seconds(since: setAt))
    }

    /// Seconds by which a caller's present may lag behind a newly taken moment.
    private static let longestTurn = 10.0

    /// Whether nothing is left to wait for.
    package func isDue(at now: Moment) -> Bool {
        remaining(at: now) <= 0
    }

    /// The deadline on the wall clock, for people.
    package func date(at now: Moment) -> Date {
        CalendarDates.nearest(to: now.wall.addingTimeInterval(remaining(at: now)))
    }

    /// When the deadline was due on the wall clock, for people; nil before that.
    package func pastDate(at now: Moment) -> Date? {
        isDue(at: now) ? CalendarDates.nearest(to: setAt.wall.addingTimeInterval(delay)) : nil
    }
}
