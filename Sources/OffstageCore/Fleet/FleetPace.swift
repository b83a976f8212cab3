// SPDX-License-Identifier: Apache-2.0

/// When a member next queries the database, and for how many rows: as rarely as possible without making work wait for
/// long.
///
/// A turn renews the lease, takes rows and receives the wishes for them, in one query. A member that holds nothing
/// needs no lease and is notified of new rows, so it polls twice a minute. Without notifications, as on a database that
/// lacks them, it polls more often for a while after it last found something, and then as rarely.
package struct FleetPace: Sendable, Equatable {
    /// Seconds between the polls of a member that has nothing to do.
    package static let idlePeriod = 30.0
    /// Seconds between polls without notifications, at first; each poll that finds nothing doubles the interval.
    package static let firstPoll = 1.0
    /// The most seconds by which members that are notified of the same rows differ.
    package static let spread = 0.5
    /// The most rows of a turn.
    package static let largestTurn = 500

    /// Whether the database sends notifications of new rows on this connection.
    package var isTold = false
    /// Consecutive polls that found nothing.
    private var inVain = 0
    /// Whether rows were announced since the last poll.
    private var isCalled = false
    /// Whether rows wait that a limit of their server keeps from all members. No notification follows when that ends.
    private var isHeldBack = false
    /// Seconds that a row takes, weighted towards recent rows; nil before the first has ended.
    package private(set) var average: Double?

    package init() {}

    /// Rows were announced.
    package mutating func called() { isCalled = true }

    /// A row has ended so many seconds after it was leased.
    package mutating func ended(after seconds: Double) {
        guard seconds.isFinite, seconds >= 0 else { return }
        average = average.map { $0 * 0.9 + seconds * 0.1 } ?? seconds  // checked: floating point
    }

    /// A turn is over.
    ///
    /// - Parameters:
    ///   - given: the rows received.
    ///   - asked: the rows requested.
    ///   - isHeldBack: whether rows wait that a limit of their server keeps from all members.
    package mutating func looked(given: Int, asked: Int, isHeldBack: Bool = false) {
        isCalled = false
        self.isHeldBack = isHeldBack
        inVain = given > 0 || asked == 0 ? 0 : min(inVain + 1, 30)  // checked: 30 at most
        // A full turn has most likely left some rows.
        if asked > 0, given >= asked { isCalled = true }
    }

    /// The number of rows to request.
    ///
    /// - Parameters:
    ///   - capacity: the rows that the member carries out at a time.
    ///   - held: the rows that it has.
    ///   - average: seconds that a row takes at present; nil if unknown.
    ///   - period: seconds until the next turn would be due anyway.
    /// - Returns: 0 to `largestTurn`.
    package static func appetite(capacity: Int, held: Int, average: Double?, period: Double) -> Int {
        // Small files end faster than the database answers: take as many as end before the next turn.
        let rate = average.map { $0 > 0 ? Double(max(0, capacity)) / $0 : Double(largestTurn) } ?? 0
        let ahead = Int(nearest: min(Double(largestTurn), rate * max(0, min(period, 1))))
        return max(0, min(largestTurn, capacity.addingClamped(ahead).subtractingClamped(held)))
    }

    /// Seconds from the last turn until the next one.
    ///
    /// - Parameters:
    ///   - hasRoom: whether the member would take rows.
    ///   - holds: whether it has rows, for which the lease must be renewed.
    ///   - renewal: seconds after which the lease is renewed.
    ///   - jitter: 0 to 1, the member's own.
    /// - Returns: 0 for at once.
    package func wait(hasRoom: Bool, holds: Bool, renewal: Double, jitter: Double) -> Double {
        var wait = holds ? min(renewal, Self.idlePeriod) : Self.idlePeriod
        // checked: floating point
        if hasRoom, isCalled { wait = inVain == 0 ? 0 : Self.spread * jitter }
        if hasRoom, !isTold, inVain > 0 {
            let poll = Backoff(first: Self.firstPoll * 2, longest: .infinity).delay(after: inVain)
            wait = min(wait, poll * (0.75 + jitter / 2))  // checked: floating point
        }
        if hasRoom, isHeldBack { wait = min(wait, Self.firstPoll * (0.75 + jitter / 2)) }  // checked: floating point
        return max(0, wait)
    }
}
