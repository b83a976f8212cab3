// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The state of one transfer.
package enum TransferState: Sendable, Equatable, Codable {
    /// May start as soon as it is its turn and its host is reachable: the schedule knows why it waits.
    case queued(since: Date)
    /// Waits for something that only time or a person can provide.
    case waiting(Wait)
    /// An attempt is under way.
    case running(Attempt)
    /// The answer is committed; the file is being checked, synced and renamed.
    case saving(Answer, since: Date)
    /// Paused by a person; the overall timeout is stopped with this many seconds left.
    case paused(since: Date, timeLeft: Double)
    case finished(TransferOutcome, at: Moment)

    /// What a waiting transfer waits for.
    package struct Wait: Sendable, Equatable, Codable {
        package enum Cause: Sendable, Equatable, Codable {
            /// Another attempt after a failure.
            case retry(TransferFailure, Deadline)
            /// The date that the owner requested.
            case earliestBegin(Date)
            /// Other transfers that must complete first and have not yet completed.
            case predecessors([Predecessor])
            /// New headers for this host, after a 401.
            case credentials(host: String)
            /// A person: no one is signed in to its account, or the account's key is refused.
            case account(TransferFailure)
            /// The decision of the app whose task it is.
            case delegate(DelegateQuestion)
            /// The member of the fleet whose row it is: the member is unavailable, or the fleet has refused.
            case keeper(isRefused: Bool)
            /// A person: it was running at this many crashes of the daemon.
            case setAside(crashes: Int)
            /// A person: its record in the store cannot be read; this is what else is known.
            case unreadable(crashes: Int)
        }

        package var cause: Cause
        package var since: Date
        /// When to ask the credential helper again, after a useless answer; nil if there was none.
        package var askAgain: Deadline?

        package init(cause: Cause, since: Date) {
            self.cause = cause
            self.since = since
        }
    }

    /// A transfer that another waits for.
    package struct Predecessor: Sendable, Equatable, Codable {
        package var id: TransferID
        /// How it ended, if it did not complete; nil while it may still complete.
        package var end: PredecessorEnd?

        package init(id: TransferID, end: PredecessorEnd? = nil) {
            self.id = id
            self.end = end
        }
    }

    /// One try.
    package struct Attempt: Sendable, Equatable, Codable {
        /// Counts up from 1 over the transfer's whole life, so that a late event from an old attempt is recognised.
        @Within<Counts> package var number: Int
        package var startedAt: Moment
        /// The byte at which it began.
        @Within<ByteCounts> package var offset: Int64

        package init(number: Int, startedAt: Moment, offset: Int64) {
            self.number = number
            self.startedAt = startedAt
            self.offset = offset
        }
    }

    /// The state's name in the store, in filters and for people. `saving` counts as running.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case queued, waiting, running, paused, finished
    }

    package var kind: Kind {
        switch self {
        case .queued: .queued
        case .waiting: .waiting
        case .running, .saving: .running
        case .paused: .paused
        case .finished: .finished
        }
    }
}
