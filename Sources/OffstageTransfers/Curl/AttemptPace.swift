// SPDX-License-Identifier: Apache-2.0

/// How fast an attempt may move its bytes: as its limit of bandwidth has it, and as others' turns on the engine's one thread
/// have it.
package struct AttemptPace: Sendable {
    private var allowance: Allowance
    /// Set while libcurl is told to pause for the bandwidth limit's sake.
    package private(set) var pausedUntil: ContinuousClock.Instant?
    /// Bytes written since the attempt last let others have their turn; a tiny piece counts as more than it is.
    private var turnBytes = 0
    /// How often libcurl has come round for this attempt in a turn of the loop.
    private var rounds = (turn: 0, count: 0)

    /// libcurl reads on as long as the socket has more, two hundred megabytes if need be. After this many bytes the
    /// loop sees to the other attempts and to its orders.
    package static let turnLimit = 33_554_432
    /// What a piece costs beside its bytes, as bytes: a server may send a file a byte a chunk.
    package static let pieceCost = 4096
    /// How often libcurl may come round for one attempt in one turn: reading a proxy's answer, it does so for each byte
    /// and gives nobody else a turn before the socket is empty.
    package static let roundLimit = 262_144

    /// - Parameters:
    ///   - limit: bytes a second; nil, or none of them, for no limit.
    ///   - now: the time now.
    package init(limit: Int64?, now: ContinuousClock.Instant) {
        allowance = Allowance(limit: Self.limit(limit), now: now)
    }

    /// Whether there is a limit of bandwidth.
    package var isLimited: Bool { allowance.limit != nil }

    /// Whether it is others' turn before more is written.
    package var hasHadItsTurn: Bool { turnBytes >= Self.turnLimit }

    /// Asks for bytes to move; a pause begins where there are none.
    ///
    /// - Parameters:
    ///   - wanted: how many bytes could be moved.
    ///   - now: the time now, which is read only where there is a limit.
    /// - Returns: how many of them may be moved now; 0 where it is time to wait.
    package mutating func grant(_ wanted: Int, now: @autoclosure () -> ContinuousClock.Instant) -> Int {
        guard isLimited else { return wanted }
        let now = now()
        let granted = min(wanted, allowance.available(now: now))
        if granted <= 0 { pausedUntil = allowance.refilled(now: now) }
        return granted
    }

    /// Bytes were sent.
    package mutating func sent(_ count: Int) { allowance.spend(count) }

    /// Bytes were written to a file.
    package mutating func wrote(_ count: Int) {
        allowance.spend(count)
        turnBytes += max(count, Self.pieceCost)  // checked: bytes in memory, until the next turn
    }

    /// The others have had their turn.
    package mutating func beginTurn() { turnBytes = 0 }

    /// libcurl comes round, in this turn of the loop.
    ///
    /// - Returns: false where it would do so without end.
    package mutating func comeRound(inTurn turn: Int) -> Bool {
        if rounds.turn != turn { rounds = (turn, 0) }
        rounds.count += 1
        return rounds.count <= Self.roundLimit
    }

    package mutating func endPause() { pausedUntil = nil }

    /// Sets another limit from now on; nil, or none of them, for no limit.
    package mutating func setLimit(_ limit: Int64?, now: ContinuousClock.Instant) {
        allowance.setLimit(Self.limit(limit), now: now)
    }

    private static func limit(_ limit: Int64?) -> Int64? { limit.flatMap { $0 > 0 ? $0 : nil } }
}
