// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The rows that the transfer queue needs, without SQL. Calls may come from any thread. None blocks its caller, and
/// each continues on the caller's executor, without a detour through the global pool.
package protocol TransferStore: Sendable {
    /// Makes the changes durable, all of them or none, and returns once they are. Concurrent calls share one commit.
    nonisolated(nonsending) func commit(_ changes: [TransferChange]) async throws(StoreError)

    /// Reads whole transfers; missing ids are left out. Sees all earlier commits.
    nonisolated(nonsending) func transfers(_ ids: [TransferID]) async throws(StoreError) -> [Transfer]

    /// Finds the transfers that were handed over under these keys, in the same order; nil for an unknown key. Sees all
    /// earlier commits.
    nonisolated(nonsending) func transferIDs(of keys: [SubmissionKey]) async throws(StoreError) -> [TransferID?]

    /// Reads one page of transfers for a list, without waiting for commits under way.
    nonisolated(nonsending) func page(_ query: TransferQuery) async throws(StoreError) -> TransferPage

    /// Deletes the oldest finished transfers beyond the limit, at most about a hundred and only while nothing else is
    /// being written, and returns them. Call it again until there are none, but not while it runs.
    nonisolated(nonsending) func prune(
        finishedBefore date: Date,
        keeping count: Int
    ) async throws(StoreError) -> [PrunedTransfer]
}

/// A finished transfer that is no longer on record.
package struct PrunedTransfer: Sendable {
    package var id: TransferID
    /// The transfer itself, if it may have left files behind.
    package var transfer: Transfer?

    package init(id: TransferID, transfer: Transfer?) {
        self.id = id
        self.transfer = transfer
    }
}

/// One change of the store.
package enum TransferChange: Sendable {
    /// A new transfer; `encodedSpec` is its specification as JSON, if the caller has it.
    case insert(Transfer, encodedSpec: [UInt8]? = nil)
    /// The changing parts of a transfer: everything except the specification. The end of a session's task is then an
    /// event that its app must receive.
    case update(Transfer)
    /// Like `update`, with the specification.
    case updateWithSpec(Transfer)
    case delete(TransferID)
    /// `didFinishDownloadingTo` of this owner's transfer has returned.
    case fileTaken(TransferID, owner: String)
    /// This owner's delegate has received the end.
    case acknowledge(TransferID, owner: String)
    /// A new hand-over journal.
    case insertJournal(name: String, owner: String)
    /// Everything in a journal up to this record is in the store, by this commit or an earlier one.
    case advanceJournal(name: String, sequence: UInt64)
    case deleteJournal(name: String)
    /// A new app, or an app's new state.
    case putApp(AppRegistration)
    /// An app is forgotten, with its story.
    case deleteApp(String)
    /// Appends to the story of an app.
    case appEntry(app: String, AppEntry)
    /// The app has been called for the present ends of a session, and has called the completion handler.
    case sessionAnnounced(SessionName)
}

/// The part of every unfinished transfer that the queue keeps in memory: little, because there may be a hundred
/// thousand.
package struct TransferSummary: Sendable, Equatable {
    package var id: TransferID
    package var owner: String
    /// `RequestURL.hostKey`.
    package var hostKey: String
    package var priority: Double
    package var kind: TransferState.Kind
    /// The overall timeout, if it is running.
    package var expiry: Deadline?
    /// The session that the task belongs to.
    package var session: String?
    /// `TransferSpec.connectionsPerHost`.
    package var connectionsPerHost: Int?
    /// Whether its record contains facts that the queue needs from the start: further addresses, or predecessors.
    package var mustBeRead: Bool

    package init(
        id: TransferID,
        owner: String,
        hostKey: String,
        priority: Double,
        kind: TransferState.Kind,
        expiry: Deadline?,
        session: String? = nil,
        connectionsPerHost: Int? = nil,
        mustBeRead: Bool = false
    ) {
        self.session = session
        self.connectionsPerHost = connectionsPerHost
        self.mustBeRead = mustBeRead
        self.id = id
        self.owner = owner
        self.hostKey = hostKey
        self.priority = priority
        self.kind = kind
        self.expiry = expiry
    }
}

/// Which transfers a list shows.
package struct TransferQuery: Sendable, Equatable, Codable {
    package enum Result: String, Sendable, Hashable, Codable, CaseIterable {
        case completed, failed, cancelled
    }

    /// Only these kinds, as stored; nil for all. A short attempt may still be stored as queued.
    package var kinds: [TransferState.Kind]?
    /// Only finished transfers with this outcome.
    package var results: [Result]?
    /// Only this owner's transfers.
    package var owner: String?
    /// Only transfers whose URL or path contains this text.
    package var text: String?
    /// Only ids below this one: the next page of a list that begins with the newest.
    package var before: TransferID?
    /// Only the ids directly above this one: the page before a known one. Nil for no such limit.
    package var after: TransferID?
    /// The maximum number of rows.
    package var limit: Int

    package init(
        kinds: [TransferState.Kind]? = nil,
        results: [Result]? = nil,
        owner: String? = nil,
        text: String? = nil,
        before: TransferID? = nil,
        after: TransferID? = nil,
        limit: Int = 100
    ) {
        self.kinds = kinds
        self.results = results
        self.owner = owner
        self.text = text
        self.before = before
        self.after = after
        self.limit = limit
    }
}

/// One page of a list, newest first.
package struct TransferPage: Sendable, Equatable {
    package var transfers: [Transfer]
    /// Whether older transfers follow; with `after`, whether there are still newer ones.
    package var hasMore: Bool
    /// The number of each kind in the whole store, whatever the query.
    package var counts: [TransferState.Kind: Int]

    package init(transfers: [Transfer], hasMore: Bool, counts: [TransferState.Kind: Int]) {
        self.transfers = transfers
        self.hasMore = hasMore
        self.counts = counts
    }
}
