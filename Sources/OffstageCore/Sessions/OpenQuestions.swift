// SPDX-License-Identifier: Apache-2.0

/// What apps have been or are still to be asked about their tasks, for as long as the tasks wait for it.
///
/// Of a session with very many questions only some are asked at a time, each of the others when one is settled. What
/// is asked is not kept here: the transfer says it when its turn comes.
package struct OpenQuestions: Sendable {
    /// What becomes of a question.
    package enum Ruling: Sendable, Equatable {
        /// The app is asked now.
        case ask
        /// Nobody is there to be asked, and the task begins without.
        case continueLoading
        /// The app is asked when it has made the session, or when it has answered others.
        case keep
    }

    private struct Session {
        /// The transfers that wait, and whether it is for being let begin.
        var isDelayed: [TransferID: Bool] = [:]
        /// Those that whoever has the session was asked about.
        var asked: Set<TransferID> = []
        /// Those to be asked about, from `next` on; some may not wait any more.
        var line: [TransferID] = []
        var next = 0
        var isListening = false
    }

    private var sessions: [SessionName: Session] = [:]
    /// How many times a session's questions are being looked up to be sent.
    private var lookUps: [SessionName: Int] = [:]

    package init() {}

    package var count: Int { sessions.values.reduce(0) { $0 + $1.isDelayed.count } }

    /// Whether a task of the session waits for its app's decision.
    package func hasAny(in session: SessionName) -> Bool { sessions[session]?.isDelayed.isEmpty == false }

    /// Questions of one session that are asked at a time.
    package static let limit = 32

    /// A task waits for its app's decision.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - session: whose task it is.
    ///   - isDelayed: whether it waits for being let begin.
    ///   - isHeld: whether somebody has the session.
    /// - Returns: what becomes of the question.
    package mutating func asked(_ id: TransferID, in session: SessionName, isDelayed: Bool, isHeld: Bool) -> Ruling {
        if !isHeld, isDelayed { return .continueLoading }
        var state = sessions[session] ?? Session()
        // Taken out: a copy for every question would take time that grows with their number.
        sessions[session] = nil
        defer { sessions[session] = state }
        let isNew = state.isDelayed.updateValue(isDelayed, forKey: id) == nil
        if state.asked.contains(id) { return .ask }
        if state.isListening, state.asked.count < Self.limit {
            state.asked.insert(id)
            return .ask
        }
        if isNew { state.line.append(id) }
        return .keep
    }

    /// Somebody is getting the session, and is not asked anything before it has it.
    package mutating func suspended(_ session: SessionName) {
        sessions[session]?.isListening = false
        removeIfEmpty(session)
    }

    /// Somebody has just got the session, and has been asked nothing yet.
    package mutating func opened(_ session: SessionName) {
        var state = sessions[session] ?? Session()
        state.isListening = true
        state.asked = []
        state.line = state.isDelayed.keys.sorted()
        state.next = 0
        sessions[session] = state
    }

    /// The transfers that the app is to be asked about now, oldest first: none before it has the session.
    package mutating func next(in session: SessionName) -> [TransferID] {
        guard var state = sessions[session], state.isListening else { return [] }
        sessions[session] = nil
        defer { sessions[session] = state }
        var ids: [TransferID] = []
        while state.asked.count < Self.limit, state.next < state.line.count {
            let id = state.line[state.next]
            state.next += 1
            if state.isDelayed[id] != nil, state.asked.insert(id).inserted { ids.append(id) }
        }
        if state.next == state.line.count {
            state.line = []
            state.next = 0
        }
        return ids
    }

    /// Whether whoever has the session is asked about the transfer.
    package func isAsked(_ id: TransferID, in session: SessionName) -> Bool {
        sessions[session]?.asked.contains(id) ?? false
    }

    /// A session's questions are being looked up to be sent.
    package mutating func lookUpBegan(in session: SessionName) { lookUps[session, default: 0] += 1 }

    /// They were found, or are gone; returns whether none of the session's is being looked up any more.
    package mutating func lookUpEnded(in session: SessionName) -> Bool {
        lookUps[session, default: 1] -= 1
        guard lookUps[session] == 0 else { return false }
        lookUps[session] = nil
        return true
    }

    package func isBeingLookedUp(_ session: SessionName) -> Bool { lookUps[session] != nil }

    /// Nobody has the session any more. Returns what begins without its app.
    package mutating func released(_ session: SessionName) -> [TransferID] {
        guard let state = sessions.removeValue(forKey: session) else { return [] }
        var rest = Session()
        var ids: [TransferID] = []
        for (id, isDelayed) in state.isDelayed {
            if isDelayed { ids.append(id) } else { rest.isDelayed[id] = false }
        }
        rest.line = rest.isDelayed.keys.sorted()
        if !rest.isDelayed.isEmpty { sessions[session] = rest }
        return ids.sorted()
    }

    /// The task does not wait any more: it was decided, or it has ended.
    package mutating func settled(_ id: TransferID, in session: SessionName) {
        guard sessions[session]?.isDelayed.removeValue(forKey: id) != nil else { return }
        sessions[session]?.asked.remove(id)
        removeIfEmpty(session)
    }

    /// As `settled(_:in:)`, where only the app is known. Returns the session in which it was.
    package mutating func settled(_ id: TransferID, of app: String) -> SessionName? {
        let session = sessions.first { $0.key.app == app && $0.value.isDelayed[id] != nil }?.key
        if let session { settled(id, in: session) }
        return session
    }

    private mutating func removeIfEmpty(_ session: SessionName) {
        if let state = sessions[session], state.isDelayed.isEmpty, !state.isListening { sessions[session] = nil }
    }
}
