// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Makes the connection an app's: the reply's frame carries the descriptor of a new hand-over journal (SCM_RIGHTS).
///
/// Whoever asks is who the peer's process says it is, whatever it calls itself. Once the reply has come, everything in
/// the app's journals of former connections is in the store.
package struct OpenApp: WireRequest {
    package static let name = "app.open"
    package struct Reply: Codable, Sendable, Equatable {
        /// The app's identity: what `TransferSpec.owner` has to be.
        package var app: String
        /// The folder for `DownloadTarget.path` of this app's tasks.
        package var downloads: String
        /// What the paths of bodies begin with that the library spools to files: a folder, and the beginning of a name.
        package var spool: String
        package init(app: String, downloads: String, spool: String) {
            self.app = app
            self.downloads = downloads
            self.spool = spool
        }
    }
    package init() {}
}

/// Takes a session for this connection: from now on it is sent `SessionEvent`s of the session's tasks.
///
/// Refused with `inUse` while another process of the same app has it.
package struct OpenSession: WireRequest {
    package static let name = "session.open"
    package struct Reply: Codable, Sendable, Equatable {
        /// The highest task number there ever was.
        @Within<Counts> package var highestTask: Int
        /// Tasks that have not ended.
        package var outstanding: Int
        /// Tasks that have ended and whose delegate has not been told; 0 while they are withheld.
        package var pendingEnds: Int
        /// Whether what the session's delegate is to hear is withheld until `SessionEvent.missed`; nil for no.
        package var isWithheld: Bool?
        /// Tasks that have ended and whose delegate has not been told, also while they are withheld; nil of an older daemon.
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

/// Gives a session up; its tasks go on.
package struct CloseSession: WireRequest {
    package static let name = "session.close"
    package typealias Reply = Empty
    package var identifier: String
    package init(identifier: String) { self.identifier = identifier }
}

/// Tasks of an open session that have not ended, by number.
package struct ListSessionTasks: WireRequest {
    package static let name = "session.tasks"
    package struct Row: Codable, Sendable, Equatable {
        package var id: TransferID
        package var task: Int
        package var kind: TransferState.Kind
        /// The JSON of its `TransferSpec`: read by the client when somebody looks at it.
        package var spec: String
        /// The bytes that are across, of one that is under way; `total` where it is known.
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
    /// Whether those are wanted that have ended and whose delegate has not been told, whether or not that is withheld; nil
    /// for those that have not ended.
    package var isEnded: Bool?
    /// Of those only what comes after this one.
    package var afterEnd: TransferID?
    package init(identifier: String, after: Int, isEnded: Bool? = nil, afterEnd: TransferID? = nil) {
        self.isEnded = isEnded
        self.afterEnd = afterEnd
        self.identifier = identifier
        self.after = after
    }
}

/// Ended tasks of an open session whose delegate has not been told, in the order in which they ended.
package struct ListPendingEnds: WireRequest {
    package static let name = "session.ends"
    package struct Reply: Codable, Sendable, Equatable {
        package var ends: [TaskEnd]
        package var hasMore: Bool
        /// As in `OpenSession.Reply`; then there are none in the page.
        package var isWithheld: Bool?
        package init(ends: [TaskEnd], hasMore: Bool, isWithheld: Bool? = nil) {
            self.ends = ends
            self.hasMore = hasMore
            self.isWithheld = isWithheld
        }
    }
    /// The most ends of one page; fewer when their bodies are large.
    package static let pageLimit = 100
    package var identifier: String
    /// The last one of the page before.
    package var after: TransferID?
    package init(identifier: String, after: TransferID?) {
        self.identifier = identifier
        self.after = after
    }
}

/// Tells the daemon that its journal has new records. Has no reply: what was imported is told as
/// `SessionEvent.committed`.
package struct Ring {
    package static let name = "ring"
}
