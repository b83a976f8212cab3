// SPDX-License-Identifier: Apache-2.0

/// What apps have been or are still to be asked about their tasks, for as long as the tasks wait for it.
package struct OpenQuestions: Sendable {
    package struct Entry: Sendable, Equatable {
        package var id: TransferID
        package var key: SessionTaskKey
        package var question: DelegateQuestion

        package init(id: TransferID, key: SessionTaskKey, question: DelegateQuestion) {
            self.id = id
            self.key = key
            self.question = question
        }
    }

    /// What becomes of a question.
    package enum Ruling: Sendable, Equatable {
        /// The app is asked now.
        case ask
        /// Nobody is there to be asked, and the task begins without.
        case continueLoading
        /// The app is asked when it has made the session.
        case keep
    }

    private var entries: [SessionName: [TransferID: Entry]] = [:]

    package init() {}

    package var count: Int { entries.values.reduce(0) { $0 + $1.count } }

    /// A task waits for its app's decision.
    package mutating func asked(_ entry: Entry, app: String, isHeld: Bool) -> Ruling {
        if !isHeld, entry.question == .willBeginDelayedRequest { return .continueLoading }
        entries[SessionName(app: app, identifier: entry.key.session), default: [:]][entry.id] = entry
        return isHeld ? .ask : .keep
    }

    /// The questions to be asked of whoever has just got the session, oldest transfer first.
    package func waiting(in session: SessionName) -> [Entry] {
        (entries[session] ?? [:]).values.sorted { $0.id < $1.id }
    }

    /// Nobody has the session any more. Returns what begins without its app.
    package mutating func released(_ session: SessionName) -> [TransferID] {
        guard let waiting = entries[session] else { return [] }
        let ids = waiting.values.filter { $0.question == .willBeginDelayedRequest }.map(\.id).sorted()
        for id in ids { remove(id, in: session) }
        return ids
    }

    /// The task does not wait any more: it was decided, or it has ended.
    package mutating func settled(_ id: TransferID, in session: SessionName) {
        if entries[session] != nil { remove(id, in: session) }
    }

    /// As `settled(_:in:)`, where only the app is known.
    package mutating func settled(_ id: TransferID, of app: String) {
        for session in entries.keys where session.app == app { remove(id, in: session) }
    }

    private mutating func remove(_ id: TransferID, in session: SessionName) {
        entries[session]?[id] = nil
        if entries[session]?.isEmpty == true { entries[session] = nil }
    }
}
