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
