// SPDX-License-Identifier: Apache-2.0

/// When a background session needs its app: once for all that has come about, not once for each task.
///
/// It does when its last outstanding task has ended, and when a task waits for the app's decision. Tasks that send no
/// launch events count as outstanding, and their own ends and questions need nobody. What an app was called for it is
/// not called for again; what comes about after that is news.
package struct SessionWakes: Sendable {
    package enum Notice: Sendable, Equatable {
        case needsApp(SessionName)
        /// What the app was called for has come to nothing, or the app has it.
        case settled(SessionName)
    }

    private struct Session {
        /// Tasks that have not ended.
        var outstanding = 0
        /// Tasks that wait for the app's decision.
        var open: Set<TransferID> = []
        /// Whether a task has ended, or asked, since the app was called last.
        var hasNewEnds = false
        var hasNewQuestions = false
        /// The app was called and has not handled it.
        var call: Call?
        /// How often a task has ended: what was looked up before the last of them is out of date.
        var ends = 0

        enum Call { case forEnds, forQuestions }

        var isIdle: Bool { outstanding == 0 && open.isEmpty && !hasNewEnds && !hasNewQuestions && call == nil }
    }

    private var sessions: [SessionName: Session] = [:]
    private var hasBegun = false

    package init() {}

    /// Tasks of an app that have not ended.
    package func outstanding(of app: String) -> Int {
        sessions.reduce(0) { $1.key.app == app ? $0 + $1.value.outstanding : $0 }
    }

    /// Tasks that have not ended, of each app that has any.
    package var outstandingByApp: [String: Int] {
        sessions.reduce(into: [:]) { counts, entry in
            if entry.value.outstanding > 0 { counts[entry.key.app, default: 0] += entry.value.outstanding }
        }
    }

    // MARK: What comes about

    /// Nobody is called before this: what was handed over to the daemon before has to be taken in first.
    ///
    /// - Parameter waiting: sessions that the daemon before left with all their tasks ended and their apps not told.
    /// - Returns: whom to call.
    package mutating func begin(waiting: [SessionName]) -> [Notice] {
        hasBegun = true
        for session in waiting { change(session) { $0.hasNewEnds = true } }
        return sessions.keys.sorted { ($0.app, $0.identifier) < ($1.app, $1.identifier) }.compactMap { call($0) }
    }

    /// So many more tasks have not ended.
    package mutating func taken(_ count: Int, in session: SessionName) {
        change(session) { $0.outstanding += count }
    }

    package mutating func ended(_ id: TransferID, in session: SessionName, sendsLaunchEvents: Bool) -> Notice? {
        change(session) { state in
            state.outstanding = max(0, state.outstanding - 1)
            state.open.remove(id)
            state.ends += 1
            if sendsLaunchEvents { state.hasNewEnds = true }
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

    /// The task does not wait for a decision any more.
    package mutating func decided(_ id: TransferID, in session: SessionName) -> Notice? {
        guard sessions[session]?.open.contains(id) == true else { return nil }
        change(session) { state in
            state.open.remove(id)
            if state.open.isEmpty { state.hasNewQuestions = false }
        }
        guard let state = sessions[session], state.call == .forQuestions, state.open.isEmpty, state.outstanding > 0
        else { return nil }
        return settle(session)
    }

    // MARK: What is known of ends

    /// Whether it has to be looked up if there are ends that the app has not been told.
    ///
    /// - Returns: what `lookedUp` has to be given with the answer; nil when it makes no difference.
    package func lookUp(_ session: SessionName) -> Int? {
        guard let state = sessions[session], state.open.isEmpty,
            state.call != nil || state.hasNewEnds && state.outstanding == 0
        else { return nil }
        return state.ends
    }

    /// It was looked up whether there are ends that the app has not been told; `number` is what `lookUp` gave.
    package mutating func lookedUp(_ session: SessionName, hasEnds: Bool, number: Int) -> Notice? {
        guard let state = sessions[session], state.ends == number, state.open.isEmpty else { return nil }
        if hasEnds { return call(session) }
        return settle(session)
    }

    /// The app has handled what it was called for, or is not called for it any more.
    ///
    /// - Returns: whether the daemon after this one need not call it either, as all tasks have ended and no end has come
    ///   about since; and for what the app is called next. New ends have to be looked up first.
    package mutating func handled(_ session: SessionName) -> (isLasting: Bool, next: Notice?) {
        guard let state = sessions[session], state.call != nil else { return (false, nil) }
        change(session) { $0.call = nil }
        let isLasting = state.outstanding == 0 && !state.hasNewEnds
        return (isLasting, state.hasNewQuestions ? call(session) : nil)
    }

    // MARK: Calling

    private mutating func settle(_ session: SessionName) -> Notice? {
        let wasCalled = sessions[session]?.call != nil
        change(session) { state in
            state.call = nil
            state.hasNewEnds = false
        }
        return wasCalled ? .settled(session) : nil
    }

    /// Calls the app if there is something to call it for.
    private mutating func call(_ session: SessionName) -> Notice? {
        guard hasBegun, let state = sessions[session], state.call == nil else { return nil }
        let isForEnds = state.hasNewEnds && state.outstanding == 0
        guard isForEnds || state.hasNewQuestions else { return nil }
        change(session) { state in
            state.call = isForEnds ? .forEnds : .forQuestions
            if isForEnds { state.hasNewEnds = false }
            state.hasNewQuestions = false
        }
        return .needsApp(session)
    }

    private mutating func change(_ session: SessionName, _ body: (inout Session) -> Void) {
        // Taken out: a copy of its questions for every change would take time that grows with their number.
        var state = sessions.removeValue(forKey: session) ?? Session()
        body(&state)
        if !state.isIdle { sessions[session] = state }
    }
}
