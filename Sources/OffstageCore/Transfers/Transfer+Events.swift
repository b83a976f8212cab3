// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

extension Transfer {
    /// The actions for a transfer that has just been made, or read from the store by a new daemon.
    ///
    /// A running attempt died with the previous daemon: the transfer is in line again, and its history records that.
    package mutating func restored(now: Moment) -> [TransferAction] {
        switch state {
        case .queued: return [.enqueue] + expiryWake
        case .waiting(let wait):
            if case .account = wait.cause {
                // The account may be available again.
                state = .queued(since: now.wall)
                return [.enqueue] + expiryWake
            }
            return wait.wakes + expiryWake  // checked: two lists
        case .running(let attempt):
            interrupted(attempt, "the daemon was stopped while the attempt ran", now: now)
            state = .queued(since: now.wall)
            return [.enqueue] + expiryWake
        case .saving: return [.save]
        // The predecessors may complete and be forgotten before the transfer is resumed.
        case .paused: return spec.predecessors.isEmpty ? [] : [.awaitPredecessors]
        case .finished: return []
        }
    }

    /// Records that the attempt died with its daemon.
    private mutating func interrupted(_ attempt: TransferState.Attempt, _ detail: String, now: Moment) {
        let failure = TransferFailure(.daemonInterrupted, detail)
        past.record(attempt, endedAt: now, reached: max(bytesDone, attempt.offset), failure: failure)
        // For a dialect only acknowledged bytes count, which its memory records.
        if !goesOnInTheMiddle { bytesDone = 0 }
    }

    /// Starts an attempt, now that it is this transfer's turn.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - offset: the byte at which the attempt begins.
    ///   - file: the file that it reads or writes.
    ///   - partialTag: the tag in the name of a download's partial file.
    ///   - held: the bytes that the partial file of a download in pieces holds, if it has holes; `offset` is then the
    ///     number of those bytes.
    /// - Returns: the actions to carry out.
    package mutating func started(
        now: Moment,
        offset: Int64,
        file: FileIdentity? = nil,
        partialTag: String? = nil,
        held: ByteSpans? = nil
    ) -> [TransferAction] {
        switch state {
        case .queued:
            past.begin(at: offset, isCountedByServer: spec.dialect != nil || isKeptByServer)
            partialFile = file
            if !spec.isUpload, file != nil { self.partialTag = partialTag }
            // The file is empty: until `receiving`, the known validator does not apply.
            if offset == 0 { partial?.empty() }
            if let held {
                partial?.hold(held, bootID: now.bootID)
            } else {
                partial?.closeHoles(bootID: now.bootID)
            }
            state = .running(.init(number: attempts, startedAt: now, offset: offset))
            bytesDone = offset
            return [.begin(attempt: attempts)]
        case .waiting, .running, .saving, .paused, .finished:
            return []
        }
    }

    /// Handles the head of a response whose body now fills the file.
    package mutating func receiving(
        attempt number: Int,
        validator: PartialDownload.Validator?,
        total: Int64?,
        coding: String? = nil,
        bootID: String
    ) {
        guard case .running(let attempt) = state, attempt.number == number else { return }
        past.hasBeenAnswered = true
        bytesTotal = total
        partial = PartialDownload(
            validator: validator,
            totalBytes: total,
            coding: coding,
            bootID: bootID,
            replacing: partial,
            from: attempt.offset
        )
    }

    /// Records that `done` bytes of the attempt's file have been transferred; `synced` of them have reached the disk.
    package mutating func progressed(attempt number: Int, done: Int64, total: Int64?, synced: Int64?) {
        guard isRunning(number) else { return }
        bytesDone = done
        if let total { bytesTotal = total }
        if let synced, partial?.isUnsynced != true { partial?.syncedBytes = synced }
    }

    /// The same transfer with this many bytes transferred, while an attempt runs: bytes under way are shown, but only
    /// bytes that the server has acknowledged are stored.
    package func reaching(_ bytes: Int64) -> Transfer {
        guard case .running = state else { return self }
        var transfer = self
        transfer.bytesDone = bytes
        return transfer
    }

    /// Records what the attempt's dialect must remember after a crash.
    package mutating func remembered(_ memory: [UInt8]?) {
        if !isFinished { dialectMemory = memory }
    }

    /// Records that the server has answered a request of the attempt; `bytes` of the file are stored there, if the
    /// server keeps them.
    package mutating func acknowledged(_ bytes: Int64?) {
        guard case .running = state else { return }
        past.hasBeenAnswered = true
        if let bytes { bytesDone = bytes }
    }

    /// Handles the end of an attempt.
    ///
    /// - Parameters:
    ///   - number: the attempt that the result belongs to; an old attempt is ignored.
    ///   - result: how the attempt ended.
    ///   - reached: the byte of the file that the attempt reached.
    ///   - moved: bytes of the file that the attempt moved over the wire; nil if that equals its progress.
    ///   - madeAt: where an upload's file is; nil if it is at the requested place.
    ///   - now: the time.
    ///   - policy: decides when to try again.
    ///   - jitter: a random number from 0 up to 1.
    /// - Returns: the actions to carry out.
    package mutating func attemptEnded(
        attempt number: Int,
        _ result: AttemptResult,
        reached: Int64,
        moved: Int64? = nil,
        madeAt: String? = nil,
        now: Moment,
        policy: RetryPolicy,
        jitter: Double
    ) -> [TransferAction] {
        guard case .running(let attempt) = state, attempt.number == number else { return [] }
        if let madeAt { spec.dialect?.destination = madeAt }
        let end = AttemptEnd(
            attempt: attempt,
            reached: reached,
            moved: moved,
            now: now,
            policy: policy,
            jitter: jitter
        )
        return end.apply(result, to: &self)
    }

    /// How often the partial file may be lost before it gets its name.
    static let mostLosses = 5

    /// Handles the end of saving: the file is in its place, or could not be put there. `digest` is its SHA-256, if
    /// computed.
    package mutating func saved(
        _ failure: TransferFailure?,
        bytes: Int64?,
        digest: Checksum? = nil,
        now: Moment
    ) -> [TransferAction] {
        guard case .saving(let answer, _) = state else { return [] }
        if let digest, spec.digest != nil { spec.digest = .known(digest) }
        if let bytes { (bytesDone, bytesTotal) = (bytes, bytes) }
        guard let failure else { return finish(.completed(answer), now: now) }
        if let actions = gotAnotherFile(failure, answer, now: now) { return actions }
        if failure.retryClass == .connection {
            // The partial file was deleted or replaced before it was renamed: it is downloaded again, unless that
            // happens too often.
            past.fruitless += 1
            guard past.fruitless < Self.mostLosses else { return finish(.failed(failure, answer), now: now) }
            past.lastFailure = failure
            partial = nil
            bytesDone = 0
            state = .queued(since: now.wall)
            return [.enqueue]
        }
        return finish(.failed(failure, answer), now: now)
    }

    /// Handles a timer: a deadline may be due.
    package mutating func woken(now: Moment) -> [TransferAction] {
        if let expiry, expiry.isDue(at: now) {
            let waited = lastFailure.map { "; the last attempt failed because \($0.detail)" } ?? ""
            let failure = TransferFailure(
                .overallTimeout,
                "it was not completed within \(String(duration: spec.overallTimeout))\(waited)"
            )
            let stop: [TransferAction]
            switch state {
            case .running(let attempt):
                past.record(attempt, endedAt: now, reached: bytesDone, failure: failure)
                stop = [.stop]
            case .queued: stop = [.dequeue]
            case .waiting: stop = []
            case .saving, .paused, .finished: return []
            }
            return stop + finish(.failed(failure, nil), now: now)
        }
        guard case .waiting(let wait) = state else { return [] }
        switch wait.cause {
        case .retry(_, let deadline):
            return deadline.isDue(at: now) ? goOn(now: now) : [.wake(deadline)]
        case .earliestBegin(let date):
            return date <= now.wall ? beginDateCame(now: now) : [.wakeAt(date)]
        case .account:
            // The account may have become usable without notice, for example because its sealing key was put back.
            if let look = wait.look(after: Self.accountLook, now: now) { return [.wake(look)] }
            return goOn(now: now)
        case .credentials:
            return wait.askAgain.map { $0.isDue(at: now) ? [.askForCredentials] : [.wake($0)] } ?? []
        case .predecessors, .delegate, .keeper, .setAside, .unreadable:
            return []
        }
    }

    /// Seconds after which a transfer checks again the account that it waits for.
    static let accountLook = 600.0

    /// Sets the transfer aside: it was running at this many crashes of the daemon, and only a person can restart it.
    package mutating func setAside(crashes: Int, now: Moment) -> [TransferAction] {
        switch state {
        case .paused, .finished: return []
        case .waiting where isUnreadable: return []
        case .running(let attempt):
            interrupted(attempt, "the daemon crashed while the attempt ran", now: now)
        case .queued, .waiting, .saving: break
        }
        state = .waiting(.init(cause: .setAside(crashes: crashes), since: now.wall))
        return [.dequeue]
    }

    /// Breaks off the attempt without counting it as a failure: its host has become unreachable.
    package mutating func networkLost(
        _ detail: String = "the network went away",
        reached: Int64,
        moved: Int64? = nil,
        hasSent: Bool = true,
        now: Moment
    ) -> [TransferAction] {
        guard case .running(let attempt) = state else { return [] }
        let failure = TransferFailure(.connectionLost, detail)
        if hasSent { past.record(attempt, endedAt: now, reached: reached, moved: moved, failure: failure) }
        past.lastFailure = failure
        bytesDone = goesOnInTheMiddle ? partial?.kept(of: reached) ?? reached : 0
        state = .queued(since: now.wall)
        return [.stop, .enqueue]
    }
}

/// Steps that several events share.
extension Transfer {
    /// Leaves a wait that is over.
    mutating func goOn(now: Moment) -> [TransferAction] {
        state = .queued(since: now.wall)
        if expiry == nil {
            expiry = Deadline(setAt: now, delay: spec.overallTimeout)
            return [.enqueue] + expiryWake
        }
        return [.enqueue]
    }

    /// Waits for another attempt after a failure.
    mutating func waitToRetry(after failure: TransferFailure, seconds: Double, now: Moment) -> [TransferAction] {
        let deadline = Deadline(setAt: now, delay: seconds)
        state = .waiting(.init(cause: .retry(failure, deadline), since: now.wall))
        return [.wake(deadline)]
    }

    /// Ends the transfer.
    ///
    /// - Parameters:
    ///   - outcome: how it ends.
    ///   - isLeftToApp: whether a session's task leaves its data to its app (`FilesAtEnd`).
    ///   - now: the time.
    /// - Returns: the actions to carry out.
    mutating func finish(_ outcome: TransferOutcome, isLeftToApp: Bool = false, now: Moment) -> [TransferAction] {
        state = .finished(outcome, at: now)
        expiry = nil
        let files = FilesAtEnd(of: self, after: outcome, isLeftToApp: isLeftToApp)
        if let kept = files.keptUpload { resumeData = .upload(kept) }
        return files.actions + [.deliver(outcome)]
    }

    func isRunning(_ number: Int) -> Bool {
        if case .running(let attempt) = state { attempt.number == number } else { false }
    }

    var expiryWake: [TransferAction] { expiry.map { [.wake($0)] } ?? [] }
}
