// SPDX-License-Identifier: Apache-2.0

/// How fast an attempt may move its bytes: limited by its bandwidth limit, and by the other attempts' turns on the
/// engine's one thread.
package struct AttemptPace: Sendable {
    private var allowance: Allowance
    /// Set while libcurl is paused because of the bandwidth limit.
    package var pausedUntil: ContinuousClock.Instant? { pauseEnd?.instant }
    private var pauseEnd: FixedInstant?
    /// Bytes written since the attempt last yielded to other attempts; a tiny piece counts as more than its size.
    private var turnBytes = 0
    /// Received bytes of chunks, minus a credit for their content: each byte of content offsets several that are not.
    private var overhead = 0
    /// How often libcurl has called back for this attempt in a turn of the loop.
    private var rounds = (turn: 0, count: 0)
    /// When the first byte moved, until that has been reported.
    private var firstByte: FirstByte = .awaited

    private enum FirstByte {
        case awaited
        case moved(FixedInstant)
        case told
    }

    /// libcurl keeps reading while the socket has more, up to a hundred buffers. After this many bytes the loop
    /// attends to the other attempts and to its orders.
    package static let turnLimit = 33_554_432
    /// After this many bytes without content, the server counts as one that sends none.
    package static let overheadLimit = 33_554_432
    /// The highest usual overhead per byte of content: chunks of one byte have six.
    package static let usualOverhead = 16
    /// The overhead that a piece counts for, in bytes: a server may send a file in chunks of one byte.
    package static let pieceCost = 4096
    /// How often libcurl may call back for one attempt per turn: when it reads a proxy's answer, it calls back for each
    /// byte and lets nothing else run until the socket is empty.
    package static let roundLimit = 262_144

    /// - Parameters:
    ///   - limit: bytes a second; nil, or not above 0, for no limit.
    ///   - now: the current time.
    package init(limit: Int64?, now: ContinuousClock.Instant) {
        allowance = Allowance(limit: Self.limit(limit), now: now)
    }

    /// Whether the attempt has a bandwidth limit.
    package var isLimited: Bool { allowance.limit != nil }

    /// Whether the attempt must yield to other attempts before it writes more.
    package var hasHadItsTurn: Bool { turnBytes >= Self.turnLimit }

    /// Requests bytes to move; begins a pause if none are available.
    ///
    /// - Parameters:
    ///   - wanted: how many bytes could be moved.
    ///   - now: the current time, evaluated only if there is a limit.
    /// - Returns: how many of them may be moved now; 0 if the attempt must wait.
    package mutating func grant(_ wanted: Int, now: @autoclosure () -> ContinuousClock.Instant) -> Int {
        guard isLimited else { return wanted }
        let now = now()
        let granted = min(wanted, allowance.available(now: now))
        if granted <= 0 { pauseEnd = FixedInstant(allowance.refilled(now: now)) }
        return granted
    }

    /// Records sent bytes.
    package mutating func sent(_ count: Int) {
        allowance.spend(count)
        recordFirstByte()
    }

    /// Records bytes written to a file.
    package mutating func wrote(_ count: Int) {
        allowance.spend(count)
        recordFirstByte()
        turnBytes += max(count, Self.pieceCost)  // checked: bytes in memory, until the next turn
    }

    /// Records work on bytes that may yield nothing: a body can be decoded for a long time without a byte to write.
    package mutating func worked(on count: Int) {
        turnBytes += max(count, Self.pieceCost)  // checked: at most two turns' worth, until the next turn
    }

    /// Records bytes of a chunked body that have arrived.
    ///
    /// - Returns: whether too many of the bytes received so far are not content.
    package mutating func arrived(_ count: Int) -> Bool {
        overhead += count  // checked: below the limit, and bytes in memory
        return overhead >= Self.overheadLimit
    }

    /// Records content.
    package mutating func found(_ count: Int) {
        guard overhead > 0 else { return }
        overhead = max(0, overhead - count * Self.usualOverhead)  // checked: bytes in memory
    }

    private mutating func recordFirstByte() {
        if case .awaited = firstByte { firstByte = .moved(FixedInstant(.now)) }
    }

    /// How long ago the first byte moved; nil if none has, or if that has already been reported.
    package mutating func takeFirstByte(now: ContinuousClock.Instant) -> Duration? {
        guard case .moved(let time) = firstByte else { return nil }
        firstByte = .told
        return max(.zero, time.instant.duration(to: now))
    }

    /// Begins the attempt's next turn, after the other attempts have had theirs.
    package mutating func beginTurn() { turnBytes = 0 }

    /// Counts a progress callback of libcurl in this turn of the loop.
    ///
    /// - Returns: false if the callbacks would not end.
    package mutating func comeRound(inTurn turn: Int) -> Bool {
        if rounds.turn != turn { rounds = (turn, 0) }
        rounds.count += 1
        return rounds.count <= Self.roundLimit
    }

    package mutating func endPause() { pauseEnd = nil }

    /// Sets a new limit from now on; nil, or not above 0, for no limit.
    package mutating func setLimit(_ limit: Int64?, now: ContinuousClock.Instant) {
        allowance.setLimit(Self.limit(limit), now: now)
    }

    private static func limit(_ limit: Int64?) -> Int64? { limit.flatMap { $0 > 0 ? $0 : nil } }
}
