// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Where a member stands with its turns at the database.
struct MemberTurns {
    /// A turn is on its way.
    var isTurning = false
    /// One is to be taken at once: the lease wants it, or a person wants something of the member.
    var isAsked = false
    /// Whether the last asked for no rows, as there was no room.
    var wasFull = true
    /// Seconds on the boot-time clock when the last was asked for.
    var last = -1e9
    /// No turn is taken before, in seconds on the boot-time clock, as the last one failed.
    var pausedUntil = 0.0
    /// What the database refused last, as it was told to people.
    var refusal: String?
    /// 0 to 1, drawn anew for each.
    var jitter = 0.5
    /// Whether it is known which rows the member holds.
    var isSettled = false
    /// 0 active, 1 draining, 2 drained, as the database says.
    var standing = 0
    /// Whether it was reported that nothing is left, since it drains.
    var isDrainReported = false
    var rules = MemberRules()
    /// When the lease wants to be looked at, in seconds on the boot-time clock.
    var leaseAlarm: Double?
    /// When to join again, after the database did not want this member.
    var retryJoin: Double?
    /// Why the database cannot be reached, as it was last told to people.
    var trouble: String?
    /// Why the daemon cannot be reached, as it was last told to people.
    var daemonTrouble: String?

    /// Seconds between turns of a member that has something to do.
    private static let shortestPause = 0.05

    /// Whether a draining member may say that nothing is left, if it holds nothing.
    var mayReportDrained: Bool { standing == 1 && isSettled && !isDrainReported }

    /// When the next turn is due, in seconds on the boot-time clock.
    ///
    /// - Parameters:
    ///   - hasRoom: whether rows would be asked for.
    ///   - holds: whether the member has rows.
    ///   - pace: what earlier turns have found.
    ///   - renewal: seconds after which the lease is renewed.
    /// - Returns: a time in the past for at once.
    func next(hasRoom: Bool, holds: Bool, _ pace: FleetPace, renewal: Double) -> Double {
        guard !isAsked else { return pausedUntil }
        var wait = pace.wait(hasRoom: hasRoom, holds: holds, renewal: renewal, jitter: jitter)
        // There was no room when it last asked.
        if hasRoom, wasFull { wait = 0 }
        // Small files end one by one: a turn for each would be too many.
        if holds { wait = max(wait, Self.shortestPause) }
        return max(pausedUntil, last + wait)  // checked: floating point
    }

    /// It is another incarnation: everything that the database said to the earlier one is asked for again.
    mutating func joined() {
        isTurning = false
        standing = 0
        isDrainReported = false
        rules = MemberRules()
        last = -1e9
        pausedUntil = 0
    }
}
