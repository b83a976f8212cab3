// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The state of a member's turns at the database.
struct MemberTurns {
    /// Whether a turn is under way.
    var isTurning = false
    /// Whether a turn is needed immediately, for the lease or for a person's request.
    var isAsked = false
    /// Whether the last turn asked for no rows, as there was no room.
    var wasFull = true
    /// When the last turn was begun, in seconds on the boot-time clock.
    var last = -1e9
    /// The earliest time of the next turn after a failure, in seconds on the boot-time clock.
    var pausedUntil = 0.0
    /// The database's last refusal, as logged.
    var refusal: String?
    /// A random number from 0 to 1, drawn for each turn.
    var jitter = 0.5
    /// Whether the member's rows are known.
    var isSettled = false
    /// The member's state in the database: 0 active, 1 draining, 2 drained.
    var standing = 0
    /// Whether a draining member has reported that nothing is left.
    var isDrainReported = false
    var rules = MemberRules()
    /// When the lease must be checked, in seconds on the boot-time clock.
    var leaseAlarm: Double?
    /// When to join again, after the database refused this member.
    var retryJoin: Double?
    /// Why the database cannot be reached, as last logged.
    var trouble: String?
    /// Why the daemon cannot be reached, as last logged.
    var daemonTrouble: String?

    /// The shortest time between turns of a member that holds rows, in seconds.
    private static let shortestPause = 0.05

    /// Whether a draining member that holds nothing may report that nothing is left.
    var mayReportDrained: Bool { standing == 1 && isSettled && !isDrainReported }

    /// When the next turn is due, in seconds on the boot-time clock.
    ///
    /// - Parameters:
    ///   - hasRoom: whether rows would be asked for.
    ///   - holds: whether the member has rows.
    ///   - pace: the results of earlier turns.
    ///   - renewal: seconds after which the lease is renewed.
    /// - Returns: the time, which is in the past if the turn is due immediately.
    func next(hasRoom: Bool, holds: Bool, _ pace: FleetPace, renewal: Double) -> Double {
        guard !isAsked else { return pausedUntil }
        var wait = pace.wait(hasRoom: hasRoom, holds: holds, renewal: renewal, jitter: jitter)
        // There was no room when it last asked.
        if hasRoom, wasFull { wait = 0 }
        // Small files end one by one, and a turn for each would be too many.
        if holds { wait = max(wait, Self.shortestPause) }
        return max(pausedUntil, last + wait)  // checked: floating point
    }

    /// Starts over as a new incarnation, which asks for everything again.
    mutating func joined() {
        isTurning = false
        standing = 0
        isDrainReported = false
        rules = MemberRules()
        last = -1e9
        pausedUntil = 0
    }
}
