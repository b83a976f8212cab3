// SPDX-License-Identifier: Apache-2.0

/// An app's background sessions whose events wait for it, and the sessions whose events its process is handling.
///
/// The process is notified of each session once at a time. Each session is then either handled or needed again.
package struct SessionNeeds: Sendable {
    /// A session whose completion handler has not been called, or whose events have not all been delivered.
    private struct Handling: Sendable {
        var session: String
        var until: Double
        var isAnnounced = false
        /// Whether the process named it when it connected again, and so has received the command.
        var isReceived = false
        /// Nothing waits for the app any more.
        var isSettled = false
        /// Whether it was notified. False for events that came while it was in front, which it may already have.
        var isTold = true
        /// Whether there are more events than it was notified of.
        var hasNews = false
        /// Its completion handler was called. From this time on that counts, even if the events have not been
        /// delivered.
        var endsBy: Double?
    }

    /// Seconds for the delivery of a session's events after its completion handler was called, because some apps call
    /// it at once.
    package static let settlingTime = 2.0

    /// Sessions whose events wait for the app, in the order in which they asked.
    package private(set) var waiting: [String] = []
    private var handling: [Handling] = []
    /// Sessions whose completion handlers the process did not call in time, and whose events may not all have been
    /// delivered.
    private var unheard: [String] = []
    /// Seconds on the boot-time clock before which the app is not launched, or woken, for them; nil if nothing is
    /// postponed.
    package private(set) var delayedUntil: Double?
    /// Whether the app's last run was for them and ended on its own with none of their events acknowledged. If that is
    /// still the case at `delayedUntil`, the next run would probably end the same way.
    package private(set) var isInDoubt = false

    package init() {}

    package var isHandling: Bool { !handling.isEmpty }

    /// Whether a completion handler is still to be called.
    package var isOwedCompletion: Bool { handling.contains { $0.endsBy == nil } }

    /// When the next events whose completion handler was called count as delivered.
    package var settlingDue: Double? { handling.lazy.compactMap(\.endsBy).min() }

    /// When the last such events count as delivered.
    package var lastSettling: Double? { handling.lazy.compactMap(\.endsBy).max() }

    /// When the next completion handler is late.
    package var handlingDue: Double? { handling.lazy.filter { $0.endsBy == nil }.map(\.until).min() }

    private func index(of session: String) -> Int? { handling.firstIndex { $0.session == session } }

    // MARK: Sessions

    /// - Returns: false if the process has been notified: it receives later events while it runs.
    package mutating func need(_ session: String) -> Bool {
        if let index = index(of: session) {
            if handling[index].isSettled {
                handling[index].isSettled = false
                handling[index].hasNews = true
            }
            return false
        }
        unheard.removeAll { $0 == session }
        wait(for: session)
        return true
    }

    /// - Returns: whether its handling is over.
    package mutating func settled(_ session: String, _ turn: inout Turn) -> Bool {
        if waiting.contains(session) { isInDoubt = false }
        waiting.removeAll { $0 == session }
        unheard.removeAll { $0 == session }
        if waiting.isEmpty { delayedUntil = nil }
        guard let index = index(of: session) else { return false }
        handling[index].isSettled = true
        handling[index].hasNews = false
        guard handling[index].endsBy != nil else { return false }
        finish(index, &turn)
        return true
    }

    package mutating func postpone(until time: Double?, isInDoubt: Bool = false) {
        delayedUntil = time
        self.isInDoubt = isInDoubt
    }

    private mutating func wait(for session: String) { if !waiting.contains(session) { waiting.append(session) } }

    // MARK: The process

    /// Notifies the process, once per session at a time.
    package mutating func notify(_ turn: inout Turn) {
        let told = waiting.filter { index(of: $0) == nil }
        for session in told {
            let until = turn.uptime + BackgroundTimeProfile.eventTime
            handling.append(Handling(session: session, until: until))
            turn.act(.send(.handleEvents(session: session, timeEnds: until)))
            turn.record(.woken(.sessionEvents(session)))
        }
        waiting.removeAll { told.contains($0) }
    }

    /// In front, the process received the events. In background, it is notified if it turns out not to have them.
    package mutating func holdBack(_ turn: Turn) {
        let ends = turn.uptime + Self.settlingTime
        for session in waiting {
            handling.append(Handling(session: session, until: ends, isTold: false, hasNews: true, endsBy: ends))
        }
        waiting = []
    }

    /// A new backgrounding begins: each completion handler has its whole time again.
    package mutating func renewTime(_ turn: Turn) {
        for index in handling.indices { handling[index].until = turn.uptime + BackgroundTimeProfile.eventTime }
    }

    /// The process has received the announcement of a session's events.
    package mutating func announced(_ session: String, _ turn: Turn) {
        guard let index = index(of: session) else { return }
        handling[index].isAnnounced = true
        // The handler was called before the events could arrive: their time begins now.
        if handling[index].endsBy != nil { setEnd(of: index, turn) }
    }

    /// Its completion handler was called, perhaps before the events were delivered: until then, or until their time is
    /// over, the app is not suspended and nothing counts as handled.
    ///
    /// - Returns: whether its handling is over.
    package mutating func handled(_ session: String, _ turn: inout Turn) -> Bool {
        guard let index = index(of: session) else { return false }
        guard !handling[index].isSettled else {
            finish(index, &turn)
            return true
        }
        if handling[index].endsBy == nil { setEnd(of: index, turn) }
        return false
    }

    /// The process is connected again, and names the sessions whose completion handlers it has not called. Commands
    /// that it has not received are repeated; those that it has received have been handled.
    package mutating func attached(unhandled: [String], _ turn: Turn) {
        let before = Dictionary(handling.map { ($0.session, $0) }, uniquingKeysWith: { first, _ in first })
        var named: Set<String> = []
        let inOrder = unhandled.filter { named.insert($0).inserted }
        let rest = handling.filter { !named.contains($0.session) }
        restore(rest.filter { !$0.isReceived && !$0.isAnnounced && $0.endsBy == nil })
        handling = inOrder.map { session in
            var one =
                before[session] ?? Handling(session: session, until: turn.uptime + BackgroundTimeProfile.eventTime)
            one.isReceived = true
            return one
        }
        for var handled in rest where handled.isReceived || handled.isAnnounced || handled.endsBy != nil {
            // A process that names different sessions each time is trusted only up to a limit.
            guard handling.count < 2 * StageBudget().sessions else { break }
            handled.endsBy = handled.endsBy ?? min(handled.until, turn.uptime + Self.settlingTime)
            handling.append(handled)
        }
        // Events that it is handling need not be repeated.
        let now = Set(handling.map(\.session))
        waiting.removeAll { now.contains($0) }
    }

    /// The process is lost, or has ended: its unfinished work is needed again.
    package mutating func processIsGone() {
        restore(handling)
        handling = []
    }

    /// The app runs again: it is notified again of the events that it missed.
    package mutating func restoreMissed() {
        for session in unheard { wait(for: session) }
        unheard = []
    }

    /// In front the app receives everything.
    package mutating func forgetUnheard() { unheard = [] }

    private mutating func restore(_ handling: [Handling]) {
        var known = Set(waiting)
        for undone in handling where !undone.isSettled && known.insert(undone.session).inserted {
            waiting.append(undone.session)
        }
    }

    // MARK: Times

    /// Ends the handling of a session whose events count as delivered now; false if there is none.
    package mutating func finishDue(_ turn: inout Turn) -> Bool {
        guard let index = handling.firstIndex(where: { turn.isDue($0.endsBy) }) else { return false }
        finish(index, &turn)
        return true
    }

    /// A completion handler was not called: the app is no longer kept running for it, and its story records this. It
    /// receives the missed events when it next runs for another reason. Waking it for them would have the same result.
    ///
    /// - Returns: a reason to kill the process: its main thread has not returned from the call, so it hangs.
    package mutating func handlingIsOver(_ turn: inout Turn) -> AppEntry.KillReason? {
        while let index = handling.firstIndex(where: { $0.endsBy == nil && turn.isDue($0.until) }) {
            let late = handling[index]
            let seconds = BackgroundTimeProfile.eventTime
            guard late.isAnnounced else { return .eventsTooLong(session: late.session, seconds: seconds) }
            turn.record(.eventsNotHandled(session: late.session, seconds: seconds))
            handling.remove(at: index)
            if !late.isSettled || late.hasNews { unheard.append(late.session) }
        }
        return nil
    }

    /// Time during which the app did not run does not count against it.
    package mutating func makeUp(for pause: Double) {
        for index in handling.indices {
            handling[index].until += pause
            handling[index].endsBy = handling[index].endsBy.map { $0 + pause }
        }
    }

    /// Frees the memory of empty lists: the app may be suspended for a long time, and be one of thousands.
    package mutating func slim() { if handling.isEmpty { handling = [] } }

    private mutating func setEnd(of index: Int, _ turn: Turn) {
        handling[index].endsBy = min(handling[index].until, turn.uptime + Self.settlingTime)
    }

    private mutating func finish(_ index: Int, _ turn: inout Turn) {
        let done = handling.remove(at: index)
        if done.hasNews {
            // Later events do not belong to this call of the handler.
            wait(for: done.session)
        } else if done.isTold {
            turn.record(.handledEvents(session: done.session))
        }
    }
}
