// SPDX-License-Identifier: Apache-2.0

/// Whether a member of a fleet may act: its one lease, which covers all its rows.
///
/// The database manages the lease, and its clock is never compared with this machine's. The lease began no earlier than
/// its renewal was requested, so it does not end before that moment plus its length. A member in doubt halts its work,
/// and continues only when the database has confirmed that its lease still counts. If another member has its rows by
/// then, the database reports that this one is fenced.
package struct MemberLease: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        /// Not a member at present: nothing is carried out.
        case outside
        /// It has asked to join.
        case joining
        /// Valid until then, by this machine's clock.
        case valid(Deadline)
        /// It may have expired: nothing moves until the database has answered.
        case doubtful
        /// It has left: nothing follows.
        case left
    }

    package enum Event: Sendable, Equatable {
        /// The database can be reached, for the first time or again.
        case connected
        case disconnected
        /// The database admitted it, for so many seconds at a time.
        case joined(length: Double)
        /// The database renewed the lease; `asked` is when the renewal was requested.
        case renewed(asked: Moment)
        /// The database reports that it is fenced.
        case refused
        /// Something may be due.
        case time
        case leave
    }

    package enum Action: Sendable, Equatable {
        case join
        /// Ask the database for a renewal.
        case renew
        /// Ask the database which rows it holds, because an answer may have been lost.
        case compare
        /// Halt all work: not one more byte or request. The rows are not given up.
        case halt
        /// Continue the halted work.
        case goOn
        /// Give up all work without notifying the servers: another member has it.
        case dropAll
        /// Check again after so many seconds.
        case wake(after: Double)
    }

    package private(set) var state = State.outside
    package private(set) var isConnected = false
    /// Seconds.
    @Within<FleetLeaseLengths> package private(set) var length: Double = 30

    package init() {}

    /// Continues the lease of an earlier run of the process, which ended without leaving.
    ///
    /// - Parameters:
    ///   - length: the length in seconds that the database gave when that run joined.
    ///   - deadline: until when that run could rely on it; nil if unknown.
    package init(resuming length: Double, until deadline: Deadline?) {
        self.length = length
        state = deadline.map { .valid($0) } ?? .doubtful
    }

    /// Until when this member relies on its lease; nil if it does not.
    package var deadline: Deadline? { if case .valid(let deadline) = state { deadline } else { nil } }

    /// The fraction of the lease after which this member no longer relies on it: clocks run at slightly different
    /// speeds, and halting takes a moment.
    package static let usablePart = 0.8
    /// The fraction of the lease after which it is renewed.
    package static let renewalPart = 0.3

    /// Whether requests may be sent, even if the alarm for the end of the lease is late.
    package func permitsRequests(at now: Moment) -> Bool {
        if case .valid(let deadline) = state { !deadline.isDue(at: now) } else { false }
    }

    /// Seconds from one request for renewal to the next.
    package var renewalPeriod: Double { length * Self.renewalPart }  // checked: floating point

    /// Handles an event.
    ///
    /// - Returns: the actions to carry out, in order.
    package mutating func handle(_ event: Event, now: Moment) -> [Action] {
        switch event {
        case .connected:
            guard !isConnected else { return [] }
            let late = time(now).filter { $0 == .halt }
            isConnected = true
            return late + connected()  // checked: arrays
        case .disconnected:
            isConnected = false
            if state == .joining { state = .outside }
            return time(now)
        case .joined(let length): return joined(length, now)
        case .renewed(let asked): return renewed(asked, now)
        case .refused: return refused()
        case .time: return time(now)
        case .leave:
            let hadRows = state != .outside && state != .left
            state = .left
            return hadRows ? [.dropAll] : []
        }
    }

    private mutating func connected() -> [Action] {
        switch state {
        case .outside:
            state = .joining
            return [.join]
        case .valid, .doubtful: return [.renew, .compare]
        case .joining, .left: return []
        }
    }

    private mutating func joined(_ length: Double, _ now: Moment) -> [Action] {
        guard state == .joining else { return [] }
        self.length = length
        // Nothing is held yet: the first renewal makes it valid.
        state = .doubtful
        return [.renew]
    }

    private mutating func renewed(_ asked: Moment, _ now: Moment) -> [Action] {
        let deadline = Deadline(setAt: asked, delay: length * Self.usablePart)  // checked: floating point
        // The answer may have taken as long as the lease lasts.
        guard !deadline.isDue(at: now) else { return isConnected && permitsOrDoubts ? [.renew] : [] }
        switch state {
        case .doubtful:
            state = .valid(deadline)
            return [.goOn, .wake(after: deadline.remaining(at: now))]
        case .valid(let earlier):
            // Answers on two connections may arrive in any order.
            guard deadline.remaining(at: now) > earlier.remaining(at: now) else { return [] }
            state = .valid(deadline)
            return [.wake(after: deadline.remaining(at: now))]
        case .outside, .joining, .left: return []
        }
    }

    private var permitsOrDoubts: Bool {
        switch state {
        case .valid, .doubtful: true
        case .outside, .joining, .left: false
        }
    }

    private mutating func refused() -> [Action] {
        switch state {
        case .valid, .doubtful:
            state = isConnected ? .joining : .outside
            return isConnected ? [.dropAll, .join] : [.dropAll]
        case .joining:
            // The database rejects it: an old version, or another member's name. A person must act.
            state = .outside
            return []
        case .outside, .left: return []
        }
    }

    private mutating func time(_ now: Moment) -> [Action] {
        guard case .valid(let deadline) = state else { return [] }
        let left = deadline.remaining(at: now)
        guard left <= 0 else { return [.wake(after: left)] }
        state = .doubtful
        return isConnected ? [.halt, .renew] : [.halt]
    }
}
