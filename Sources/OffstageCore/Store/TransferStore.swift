// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The rows the transfer queue needs, and no SQL. Calls may come from any thread; none blocks its caller, and each goes
/// on where its caller runs, without a detour over the global pool.
package protocol TransferStore: Sendable {
    /// Makes the changes durable, all or none, and returns once they are. Concurrent calls share one commit.
    nonisolated(nonsending) func commit(_ changes: [TransferChange]) async throws(StoreError)

    /// Reads whole transfers; ids that are not there are left out. Sees everything that was committed before.
    nonisolated(nonsending) func transfers(_ ids: [TransferID]) async throws(StoreError) -> [Transfer]

    /// Reads one page of transfers for a list, without waiting for commits that are under way.
    nonisolated(nonsending) func page(_ query: TransferQuery) async throws(StoreError) -> TransferPage

    /// Deletes the oldest finished transfers beyond what is to be kept, a hundred or so at most and when nothing else is
    /// being written, and returns them: to be called again until there are none, and not while it runs.
    nonisolated(nonsending) func prune(
        finishedBefore date: Date,
        keeping count: Int
    ) async throws(StoreError) -> [PrunedTransfer]
}

/// A finished transfer that is not on record any more.
package struct PrunedTransfer: Sendable {
    package var id: TransferID
    /// What it was, where it may have left files behind.
    package var transfer: Transfer?

    package init(id: TransferID, transfer: Transfer?) {
        self.id = id
        self.transfer = transfer
    }
}

/// One change of the store.
package enum TransferChange: Sendable {
    /// A new transfer; `encodedSpec` is its specification as JSON, where the caller has it already.
    case insert(Transfer, encodedSpec: [UInt8]? = nil)
    /// What changes of a transfer by itself: everything but the specification. An end of a session's task is from then
    /// on an event that its app has to be told.
    case update(Transfer)
    /// As `update`, and the specification too.
    case updateWithSpec(Transfer)
    case delete(TransferID)
    /// `didFinishDownloadingTo` of this owner's transfer has returned.
    case fileTaken(TransferID, owner: String)
    /// This owner's delegate has heard of the end.
    case acknowledge(TransferID, owner: String)
    /// A new hand-over journal.
    case insertJournal(name: String, owner: String)
    /// Everything of a journal up to this record is in the store, by this commit or one before.
    case advanceJournal(name: String, sequence: UInt64)
    case deleteJournal(name: String)
    /// A new app, or what is known of one from now on.
    case putApp(AppRegistration)
    /// An app is forgotten, with its story.
    case deleteApp(String)
    /// Appends to the story of an app.
    case appEntry(app: String, AppEntry)
    /// The app has been told of what has ended in a session so far, and has called the completion handler.
    case sessionAnnounced(SessionName)
}

/// What the queue keeps of every unfinished transfer in memory: little, since there may be a hundred thousand.
package struct TransferSummary: Sendable, Equatable {
    package var id: TransferID
    package var owner: String
    /// `RequestURL.hostKey`.
    package var hostKey: String
    package var priority: Double
    package var kind: TransferState.Kind
    /// The overall timeout, when it runs.
    package var expiry: Deadline?
    /// The session whose task it is.
    package var session: String?
    /// `TransferSpec.connectionsPerHost`.
    package var connectionsPerHost: Int?

    package init(
        id: TransferID,
        owner: String,
        hostKey: String,
        priority: Double,
        kind: TransferState.Kind,
        expiry: Deadline?,
        session: String? = nil,
        connectionsPerHost: Int? = nil
    ) {
        self.session = session
        self.connectionsPerHost = connectionsPerHost
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
    /// Only finished transfers that ended so.
    package var results: [Result]?
    /// Only this owner's.
    package var owner: String?
    /// Only transfers whose URL or path contains this text.
    package var text: String?
    /// Only ids below this one: the next page of a list that begins with the newest.
    package var before: TransferID?
    /// At most so many rows.
    package var limit: Int

    package init(
        kinds: [TransferState.Kind]? = nil,
        results: [Result]? = nil,
        owner: String? = nil,
        text: String? = nil,
        before: TransferID? = nil,
        limit: Int = 100
    ) {
        self.kinds = kinds
        self.results = results
        self.owner = owner
        self.text = text
        self.before = before
        self.limit = limit
    }
}

/// One page of a list, newest first.
package struct TransferPage: Sendable, Equatable {
    package var transfers: [Transfer]
    /// Whether older ones follow.
    package var hasMore: Bool
    /// How many there are of each kind in the whole store, whatever the query.
    package var counts: [TransferState.Kind: Int]

    package init(transfers: [Transfer], hasMore: Bool, counts: [TransferState.Kind: Int]) {
        self.transfers = transfers
        self.hasMore = hasMore
        self.counts = counts
    }
}
