// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// One transfer: its specification and its state. A value without a file, handle, clock or lock.
///
/// Every event is a method in `Transfer+Events.swift`; it takes the time and returns the actions to carry out. An event
/// with its own rule is a value that is applied to a transfer: the end of an attempt (`AttemptEnd`), a person's edit
/// (`TransferEdit`), a command of its app (`SessionTaskCommand`). No other module changes a field (`scripts/test`
/// checks this): everything that may happen to a transfer is decided here.
package struct Transfer: Sendable, Equatable {
    package let id: TransferID
    @Indirect package var spec: TransferSpec
    package let createdAt: Moment
    package var state: TransferState
    /// The overall timeout, running since the transfer could first have started; nil while paused or finished.
    package var expiry: Deadline?
    package var past = PastAttempts()
    package var partial: PartialDownload?
    /// The file that an attempt writes to: a daemon that died while saving can tell whether it was already renamed.
    package var partialFile: FileIdentity?
    /// The addition to the partial file's name, if the usual name was taken; nil for no addition.
    package var partialTag: String?
    /// Bytes of the file that have been transferred, as of the last commit.
    @Within<ByteCounts> package var bytesDone: Int64 = 0
    /// The file's total length, once known.
    @WithinIfPresent<ByteCounts> package var bytesTotal: Int64?
    /// The kept part of a session's task that did not complete, for another task to continue.
    package var resumeData: SessionTaskResumeData?
    /// What the upload's dialect must remember after a crash: the dialect's own JSON, a few hundred bytes.
    package var dialectMemory: [UInt8]?
    /// The status with which the completion command failed; nil if none ran, or if it did not fail.
    package var completionStatus: Int?

    /// A transfer to which nothing has happened yet. `TransferRecord` relies on the values set here.
    package init(id: TransferID, spec: TransferSpec, now: Moment) {
        self.id = id
        self.spec = spec
        self.createdAt = now
        if !spec.predecessors.isEmpty {
            let all = spec.predecessors.map { TransferState.Predecessor(id: $0) }
            state = .waiting(.init(cause: .predecessors(all), since: now.wall))
        } else if let date = spec.earliestBegin, date > now.wall {
            state = .waiting(.init(cause: .earliestBegin(date), since: now.wall))
        } else {
            // A date that has passed still counts as a date: the app decides.
            state =
                spec.mustAskToBegin
                ? .waiting(.init(cause: .delegate(.willBeginDelayedRequest), since: now.wall))
                : .queued(since: now.wall)
            expiry = Deadline(setAt: now, delay: spec.overallTimeout)
        }
        switch spec.direction {
        case .upload(let source): bytesTotal = source.identity.size
        case .form(let form): bytesTotal = form.body.count
        case .download: break
        }
        if spec.resumesFrom != nil {
            partial = spec.resumePartial
            // An app hands over the beginning of a file. Any holes that it mentions would not be in the kept file.
            partial?.closeHoles(bootID: "")
        }
        if spec.isUpload, spec.dialect == nil || spec.keeper != nil { dialectMemory = spec.keptUpload?.bytes }
    }

    /// Creates a transfer whose record cannot be read, from the known facts and the number of daemon crashes over it.
    package init(unreadable id: TransferID, spec: TransferSpec, crashes: Int, now: Moment) {
        self.init(id: id, spec: spec, now: now)
        state = .waiting(.init(cause: .unreadable(crashes: crashes), since: now.wall))
        expiry = nil
    }

    /// Whether the server keeps the beginning of an otherwise plain upload. A dialect's memory of such a beginning is a
    /// JSON object.
    package var isKeptByServer: Bool {
        spec.dialect == nil && spec.isUpload && dialectMemory?.first == UInt8(ascii: "{")
    }

    /// Whether a failed attempt is continued where it stopped, and not at byte 0.
    package var goesOnInTheMiddle: Bool { spec.goesOnInTheMiddle || isKeptByServer }

    /// Attempts made so far.
    package var attempts: Int { past.count }
    package var lastFailure: TransferFailure? { past.lastFailure }
    /// The latest attempts, oldest first.
    package var history: [AttemptRecord] { past.history }

    package var outcome: TransferOutcome? {
        if case .finished(let outcome, _) = state { outcome } else { nil }
    }

    /// Whether the transfer waits for a retry and people who follow it should be notified that nothing answers.
    package var isUnreached: Bool {
        guard case .waiting(let wait) = state, case .retry(let failure, _) = wait.cause else { return false }
        return bytesDone == 0 && failure.saysUnreached(after: attempts)
    }

    /// The same transfer, as shown while its latest decision is not yet committed.
    package func shown(in state: TransferState) -> Transfer {
        var transfer = self
        transfer.state = state
        return transfer
    }

    package var isFinished: Bool { state.kind == .finished }

    /// Whether this represents a transfer whose record cannot be read: it must not overwrite that record.
    package var isUnreadable: Bool {
        if case .waiting(let wait) = state, case .unreadable = wait.cause { true } else { false }
    }
}
