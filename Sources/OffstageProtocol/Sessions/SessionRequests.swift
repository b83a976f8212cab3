// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Assigns the connection to an app: the reply's frame carries the descriptor of a new hand-over journal (SCM_RIGHTS).
///
/// The kernel identifies the peer's process, regardless of its claimed name. When the reply arrives, everything in the
/// journals of the app's former connections is in the store.
package struct OpenApp: WireRequest {
    package static let name = "app.open"
    package struct Reply: Codable, Sendable, Equatable {
        /// The app's identity, which must be equal to `TransferSpec.owner`.
        package var app: String
        /// The folder for `DownloadTarget.path` of this app's tasks.
        package var downloads: String
        /// The prefix of the paths of bodies that the library spools to files: a folder, and the beginning of a name.
        package var spool: String
        package init(app: String, downloads: String, spool: String) {
            self.app = app
            self.downloads = downloads
            self.spool = spool
        }
    }
    package init() {}
}

/// Acquires a session for this connection, which receives `SessionEvent`s of the session's tasks from now on.
///
/// Refused with `inUse` while another process of the same app has it.
package struct OpenSession: WireRequest {
    package static let name = "session.open"
    package struct Reply: Codable, Sendable, Equatable {
        /// The highest task number ever used.
        @Within<Counts> package var highestTask: Int
        /// Unfinished tasks, counted up to 1,000, as are the other two numbers.
        package var outstanding: Int
        /// Ended tasks whose delegate has not been notified; 0 while their ends are withheld.
        package var pendingEnds: Int
        /// Whether the delegate's news is withheld until `SessionEvent.missed`; nil for no.
        package var isWithheld: Bool?
        /// Ended tasks whose delegate has not been notified, including withheld ends; nil from an older daemon.
        package var untold: Int?
        package init(
            highestTask: Int,
            outstanding: Int,
            pendingEnds: Int,
            isWithheld: Bool? = nil,
            untold: Int? = nil
        ) {
            self.untold = untold
            self.highestTask = highestTask
            self.outstanding = outstanding
            self.pendingEnds = pendingEnds
            self.isWithheld = isWithheld
        }
    }
    package var identifier: String
    package init(identifier: String) { self.identifier = identifier }
}

/// Releases a session; its tasks continue.
package struct CloseSession: WireRequest {
    package static let name = "session.close"
    package typealias Reply = Empty
    package var identifier: String
    package init(identifier: String) { self.identifier = identifier }
}

/// The unfinished tasks of an open session, by number.
package struct ListSessionTasks: WireRequest {
    package static let name = "session.tasks"
    package struct Row: Codable, Sendable, Equatable {
        package var id: TransferID
        package var task: Int
        package var kind: TransferState.Kind
        /// The JSON of its `TransferSpec`: the client decodes it on demand.
        package var spec: String
        /// The bytes transferred by a running task; `total` if known.
        @Within<ByteCounts> package var done: Int64
        @WithinIfPresent<ByteCounts> package var total: Int64?
        package init(
            id: TransferID,
            task: Int,
            kind: TransferState.Kind,
            spec: String,
            done: Int64 = 0,
            total: Int64? = nil
        ) {
            self.done = done
            self.total = total
            self.id = id
            self.task = task
            self.kind = kind
            self.spec = spec
        }
    }
    package struct Reply: Codable, Sendable, Equatable {
        package var rows: [Row]
        package var hasMore: Bool
        package init(rows: [Row], hasMore: Bool) {
            self.rows = rows
            self.hasMore = hasMore
        }
    }
    /// The most rows of one page.
    package static let pageLimit = 500
    package var identifier: String
    /// Only tasks with higher numbers.
    package var after: Int
    /// Whether to list ended tasks whose delegate has not been notified, withheld or not; nil for unfinished tasks.
    package var isEnded: Bool?
    /// Only ended tasks after this one.
    package var afterEnd: TransferID?
    package init(identifier: String, after: Int, isEnded: Bool? = nil, afterEnd: TransferID? = nil) {
        self.isEnded = isEnded
        self.afterEnd = afterEnd
        self.identifier = identifier
        self.after = after
    }
}

/// Ended tasks of an open session whose delegate has not been notified, in the order of their ends.
package struct ListPendingEnds: WireRequest {
    package static let name = "session.ends"
    package struct Reply: Codable, Sendable, Equatable {
        package var ends: [SessionTaskEnd]
        package var hasMore: Bool
        /// As in `OpenSession.Reply`; then the page is empty.
        package var isWithheld: Bool?
        package init(ends: [SessionTaskEnd], hasMore: Bool, isWithheld: Bool? = nil) {
            self.ends = ends
            self.hasMore = hasMore
            self.isWithheld = isWithheld
        }
    }
    /// The most ends of one page; fewer when their bodies are large.
    package static let pageLimit = 100
    package var identifier: String
    /// The last one of the previous page.
    package var after: TransferID?
    package init(identifier: String, after: TransferID?) {
        self.identifier = identifier
        self.after = after
    }
}

/// Notifies the daemon of new records in the journal. Has no reply: `SessionEvent.committed` reports what was imported.
package struct Ring {
    package static let name = "ring"
}
