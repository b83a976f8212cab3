// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// The events that the connection holding a session receives, in order.
package enum SessionEvent: Codable, Sendable, Equatable {
    /// All journal records up to this one are on the disk.
    case committed(sequence: UInt64)
    /// Coalesced to a few times a second.
    case progress([Progress])
    /// A task has ended; committed before this was sent.
    case ended(SessionTaskEnd)
    /// A question that only the app can decide; it answers with `JournalEntry.answer`.
    case question(TransferID, SessionTaskKey, DelegateQuestion)
    /// The daemon could not accept a task; it is not in the store.
    case refused(SessionTaskKey, TransferFailure)
    /// The session's news may now be requested, starting with the first end. It was withheld before, since the app was
    /// stopped or had not been notified. Open questions come before this.
    case missed(session: String)

    package static let name = "session"

    package struct Progress: Codable, Sendable, Equatable {
        package var key: SessionTaskKey
        @Within<ByteCounts> package var bytesDone: Int64
        @WithinIfPresent<ByteCounts> package var bytesTotal: Int64?
        /// The byte at which the attempt began.
        @Within<ByteCounts> package var offset: Int64
        /// The fields of an interim response (104) that has just arrived; the event then reports nothing else.
        package var heard: [HeaderField]?

        package init(key: SessionTaskKey, bytesDone: Int64, bytesTotal: Int64?, offset: Int64) {
            self.key = key
            self.bytesDone = bytesDone
            self.bytesTotal = bytesTotal
            self.offset = offset
        }
    }
}

/// How a task ended: everything that its delegate receives.
package struct SessionTaskEnd: Codable, Sendable, Equatable {
    package var id: TransferID
    package var key: SessionTaskKey
    package var outcome: TransferOutcome
    /// The JSON of its `TransferSpec`, in `ListPendingEnds` only: the process that created the task knows it.
    package var spec: String?
    @Within<ByteCounts> package var bytesDone: Int64
    @WithinIfPresent<ByteCounts> package var bytesTotal: Int64?
    /// Whether `didFinishDownloadingTo` has returned already.
    package var isFileTaken: Bool
    /// The file that holds the whole body of an upload's response when it is longer than `Answer.bodyStart`.
    package var bodyPath: String?
    /// The resume data for `downloadTask(withResumeData:)`; only if the app requested it or the download failed.
    package var resumeData: Base64Bytes?
    /// When the transfer was handed over, when its last attempt began, and when it ended.
    package var createdAt: Date
    package var startedAt: Date?
    package var endedAt: Date
    @Within<Counts> package var attempts: Int

    package init(
        id: TransferID,
        key: SessionTaskKey,
        outcome: TransferOutcome,
        spec: String? = nil,
        bytesDone: Int64,
        bytesTotal: Int64?,
        isFileTaken: Bool,
        bodyPath: String? = nil,
        resumeData: Base64Bytes? = nil,
        createdAt: Date,
        startedAt: Date?,
        endedAt: Date,
        attempts: Int
    ) {
        self.id = id
        self.key = key
        self.outcome = outcome
        self.spec = spec
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
        self.isFileTaken = isFileTaken
        self.bodyPath = bodyPath
        self.resumeData = resumeData
        self.createdAt = createdAt
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.attempts = attempts
    }
}
