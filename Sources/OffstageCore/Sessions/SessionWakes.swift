// SPDX-License-Identifier: Apache-2.0

/// When a background session needs its app: once for all events, not once per task.
///
/// It needs the app when its last outstanding task has ended, and when a task waits for the app's decision. Tasks that
/// send no launch events count as outstanding, but their own ends and questions do not need the app. An app is not
/// called again for the same events, but it is for later ones.
package struct SessionWakes: Sendable {
    package enum Notice: Sendable, Equatable {
        case needsApp(SessionName)
        /// The app need no longer be called: the events became moot, or it has received them.
        case settled(SessionName)
    }

    private struct Session {
        /// Tasks that have not ended.
        var outstanding = 0
        /// Tasks that wait for the app's decision.
        var open: Set<TransferID> = []
        /// Whether a task has ended or asked since the app was last called.
        var hasNewEnds = false
        var hasNewQuestions = false
        /// The app was called and has not handled it.
        var call: Call?
        /// Whether the app was asked to handle its events, perhaps by an earlier call, and has not finished.
        var isHandling = false
        /// Whether there are ends that were not sent to the present holder.
        var hasUnsent = false
        /// The number of ended tasks: a look-up before the last end is outdated.
        var ends = 0

        struct Call {
            var isForEnds: Bool
            var isTold = false
        }

        var isIdle: Bool {
            outstanding == 0 && open.isEmpty && !hasNewEnds && !hasNewQuestions && call == nil && !isHandling
                && !hasUnsent
        }
    }

    private var sessions: [SessionName: Session] = [:]
    private var hasBegun = false
    /// Sessions that were sent all their ends before any app was called.
    private var sentBefore: Set<SessionName> = []

    package init() {}

    /// Tasks of an app that have not ended.
    package func outstanding(of app: String) -> Int {
        sessions.reduce(0) { $1.key.app == app ? $0 + $1.value.outstanding : $0 }
    }

    /// The number of tasks that have not ended, for each app that has any.
    package var outstandingByApp: [String: Int] {
        sessions.reduce(into: [:]) { counts, entry in
            if entry.value.outstanding > 0 { counts[entry.key.app, default: 0] += entry.value.outstanding }
        }
    }

    // MARK: Events

    /// No app is called before this, because earlier records handed over to the daemon must be imported first.
    ///
    /// - Parameter waiting: sessions that the previous daemon left with all tasks ended and their apps not notified.
    /// - Returns: the apps to call.
    package mutating func begin(waiting: [SessionName]) -> [Notice] {
        hasBegun = true
        let sent = sentBefore
        sentBefore = []
        for session in waiting {
            change(session) { state in
                state.hasNewEnds = true
                state.hasUnsent = state.hasUnsent || !sent.contains(session)
            }
        }
        return sessions.keys.sorted { ($0.app, $0.identifier) < ($1.app, $1.identifier) }.compactMap { session in
            guard let state = sessions[session], state.hasUnsent || state.hasNewQuestions else { return nil }
            return call(session)
        }
    }

    /// So many tasks were added.
    package mutating func added(_ count: Int, in session: SessionName) {
        change(session) { $0.outstanding += count }
    }

    /// A task has ended; `isSent` if the session's holder is being notified.
    package mutating func ended(
        _ id: TransferID,
        in session: SessionName,
        sendsLaunchEvents: Bool,
        isSent: Bool
    ) -> Notice? {
        change(session) { state in
            state.outstanding = max(0, state.outstanding - 1)
            state.open.remove(id)
            state.ends += 1
            if sendsLaunchEvents {
                state.hasNewEnds = true
                if !isSent { state.hasUnsent = true }
            }
        }
        return call(session)
    }

    package mutating func asked(_ id: TransferID, in session: SessionName, sendsLaunchEvents: Bool) -> Notice? {
        guard sendsLaunchEvents else { return nil }
        change(session) { state in
            if state.open.insert(id).inserted { state.hasNewQuestions = true }
        }
        return call(session)
    }

    /// The task no longer waits for a decision.
    package mutating func decided(_ id: TransferID, in session: SessionName) -> Notice? {
        guard sessions[session]?.open.contains(id) == true else { return nil }
        change(session) { state in
            state.open.remove(id)
            if state.open.isEmpty { state.hasNewQuestions = false }
        }
        guard let state = sessions[session], state.call?.isForEnds == false, state.open.isEmpty, state.outstanding > 0
        else { return nil }
        return settle(session)
    }

    // MARK: Knowledge of ends

    /// The number of ends so far, for `sent`.
    package func ends(of session: SessionName) -> Int { sessions[session]?.ends ?? 0 }

    /// The session's holder was sent all unacknowledged ends at the time when `ends(of:)` was `number`.
    package mutating func sent(_ session: SessionName, number: Int) {
        if !hasBegun { sentBefore.insert(session) }
        guard let state = sessions[session], state.ends == number else { return }
        change(session) { $0.hasUnsent = false }
    }

    /// The former holder no longer holds the session, or is stopped: it may never handle unacknowledged ends.
    package mutating func lost(_ session: SessionName) {
        sentBefore.remove(session)
        guard let state = sessions[session], state.hasNewEnds || state.call != nil else { return }
        change(session) { $0.hasUnsent = true }
    }

    /// Whether to look up if there are ends that the app has not received.
    ///
    /// - Returns: the argument for `lookedUp`; nil if the answer makes no difference.
    package func lookUp(_ session: SessionName) -> Int? {
        guard let state = sessions[session], state.open.isEmpty,
            state.call != nil || state.hasNewEnds && state.outstanding == 0
        else { return nil }
        return state.ends
    }

    /// The result of a look-up for ends that the app has not received; `number` is the result of `lookUp`.
    package mutating func lookedUp(_ session: SessionName, hasEnds: Bool, number: Int) -> Notice? {
        guard let state = sessions[session], state.ends == number, state.open.isEmpty else { return nil }
        guard hasEnds else { return settle(session) }
        // It is being notified of the ends that it was sent, so it need not be called for them.
        return state.hasUnsent ? call(session) : nil
    }

    /// The app has been asked to handle the session's events, including those of the last call.
    package mutating func notified(_ session: SessionName) {
        change(session) { state in
            state.isHandling = true
            state.call?.isTold = true
        }
    }

    /// The app has handled the events, or is no longer called for them.
    ///
    /// These are not the events of a later call, which it has not received yet.
    ///
    /// - Returns: whether the next daemon need not call it either, because all tasks have ended, the app was sent all
    ///   ends, and there are no new ones; and the cause of the next call. New ends must be looked up first.
    package mutating func handled(_ session: SessionName) -> (isLasting: Bool, next: Notice?) {
        guard let state = sessions[session] else { return (false, nil) }
        change(session) { $0.isHandling = false }
        guard let former = state.call, former.isTold || !state.isHandling else { return (false, nil) }
        change(session) { $0.call = nil }
        let isLasting = state.outstanding == 0 && !state.hasNewEnds && !state.hasUnsent
        return (isLasting, state.hasNewQuestions ? call(session) : nil)
    }

    // MARK: Calling

    private mutating func settle(_ session: SessionName) -> Notice? {
        guard let former = sessions[session] else { return nil }
        change(session) { state in
            state.call = nil
            state.hasNewEnds = false
            state.hasUnsent = false
        }
        // Even if it was not called, because it may be handling the events of an earlier daemon's call.
        return former.call != nil || former.hasNewEnds ? .settled(session) : nil
    }

    /// Calls the app if there is a reason.
    private mutating func call(_ session: SessionName) -> Notice? {
        guard hasBegun, let state = sessions[session], state.call == nil else { return nil }
        let isForEnds = state.hasNewEnds && state.outstanding == 0
        guard isForEnds || state.hasNewQuestions else { return nil }
        change(session) { state in
            state.call = Session.Call(isForEnds: isForEnds)
            if isForEnds { state.hasNewEnds = false }
            state.hasNewQuestions = false
        }
        return .needsApp(session)
    }

    private mutating func change(_ session: SessionName, _ body: (inout Session) -> Void) {
        // Removed first, because copying its questions for every change would take time that grows with their number.
        var state = sessions.removeValue(forKey: session) ?? Session()
        body(&state)
        if !state.isIdle { sessions[session] = state }
    }
}
