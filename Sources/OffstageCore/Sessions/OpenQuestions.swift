// SPDX-License-Identifier: Apache-2.0

/// Open questions to apps about their waiting tasks, whether asked yet or not.
///
/// If a session has very many questions, only some are asked at a time, and another one whenever one is settled. The
/// contents of a question are not kept here: the transfer provides them when its turn comes.
package struct OpenQuestions: Sendable {
    /// The next step for a question.
    package enum Ruling: Sendable, Equatable {
        /// The app is asked now.
        case ask
        /// No process can be asked, and the task begins without an answer.
        case continueLoading
        /// The app is asked when it has opened the session, or has answered other questions.
        case keep
    }

    private struct Session {
        /// The waiting transfers, and whether they wait for permission to begin.
        var isDelayed: [TransferID: Bool] = [:]
        /// The questions that the session's holder has received.
        var asked: Set<TransferID> = []
        /// The questions to be asked, from `next` on; some may no longer wait.
        var line: [TransferID] = []
        var next = 0
        var isListening = false
    }

    private var sessions: [SessionName: Session] = [:]
    /// The session of each waiting transfer.
    private var sessionOf: [TransferID: SessionName] = [:]
    /// How many loads of each session's questions are under way.
    private var lookUps: [SessionName: Int] = [:]

    package init() {}

    package var count: Int { sessions.values.reduce(0) { $0 + $1.isDelayed.count } }

    /// Whether a task of the session waits for its app's decision.
    package func hasAny(in session: SessionName) -> Bool { sessions[session]?.isDelayed.isEmpty == false }

    /// The most simultaneous questions of one session.
    package static let limit = 32

    /// A task waits for its app's decision.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - session: the session of the task.
    ///   - isDelayed: whether it waits for permission to begin.
    ///   - isHeld: whether a connection holds the session.
    /// - Returns: the next step for the question.
    package mutating func asked(_ id: TransferID, in session: SessionName, isDelayed: Bool, isHeld: Bool) -> Ruling {
        if !isHeld, isDelayed { return .continueLoading }
        var state = sessions[session] ?? Session()
        // Removed first, because copying for every question would take time that grows with their number.
        sessions[session] = nil
        defer { sessions[session] = state }
        let isNew = state.isDelayed.updateValue(isDelayed, forKey: id) == nil
        sessionOf[id] = session
        if state.asked.contains(id) { return .ask }
        if state.isListening, state.asked.count < Self.limit {
            state.asked.insert(id)
            return .ask
        }
        if isNew { state.line.append(id) }
        return .keep
    }

    /// A connection is opening the session, and receives no question until it holds the session.
    package mutating func suspended(_ session: SessionName) {
        sessions[session]?.isListening = false
        removeIfEmpty(session)
    }

    /// A connection has just opened the session, and has received no question yet.
    package mutating func opened(_ session: SessionName) {
        var state = sessions[session] ?? Session()
        state.isListening = true
        state.asked = []
        state.line = state.isDelayed.keys.sorted()
        state.next = 0
        sessions[session] = state
    }

    /// The transfers whose questions to ask now, oldest first; empty before the app holds the session.
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

    /// Whether the session's holder has received the transfer's question.
    package func isAsked(_ id: TransferID, in session: SessionName) -> Bool {
        sessions[session]?.asked.contains(id) ?? false
    }

    /// A session's questions are being loaded to be sent.
    package mutating func lookUpBegan(in session: SessionName) { lookUps[session, default: 0] += 1 }

    /// A load has finished, or its questions are gone. Returns whether no load of the session's questions is left.
    package mutating func lookUpEnded(in session: SessionName) -> Bool {
        lookUps[session, default: 1] -= 1
        guard lookUps[session] == 0 else { return false }
        lookUps[session] = nil
        return true
    }

    package func isBeingLookedUp(_ session: SessionName) -> Bool { lookUps[session] != nil }

    /// The session no longer has a holder. Returns the tasks that begin without their app.
    package mutating func released(_ session: SessionName) -> [TransferID] {
        guard let state = sessions.removeValue(forKey: session) else { return [] }
        var rest = Session()
        var ids: [TransferID] = []
        for (id, isDelayed) in state.isDelayed {
            if isDelayed {
                ids.append(id)
                sessionOf[id] = nil
            } else {
                rest.isDelayed[id] = false
            }
        }
        rest.line = rest.isDelayed.keys.sorted()
        if !rest.isDelayed.isEmpty { sessions[session] = rest }
        return ids.sorted()
    }

    /// The task no longer waits: it was decided, or has ended.
    package mutating func settled(_ id: TransferID, in session: SessionName) {
        guard sessions[session]?.isDelayed.removeValue(forKey: id) != nil else { return }
        sessionOf[id] = nil
        sessions[session]?.asked.remove(id)
        removeIfEmpty(session)
    }

    /// Like `settled(_:in:)`, if only the app is known. Returns the session of the task.
    package mutating func settled(_ id: TransferID, of app: String) -> SessionName? {
        guard let session = sessionOf[id], session.app == app else { return nil }
        settled(id, in: session)
        return session
    }

    private mutating func removeIfEmpty(_ session: SessionName) {
        if let state = sessions[session], state.isDelayed.isEmpty, !state.isListening { sessions[session] = nil }
    }
}
