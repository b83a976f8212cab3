// SPDX-License-Identifier: Apache-2.0

/// The commands of a person or an app to a transfer. Each returns nil if it does not apply in the current state.
extension Transfer {
    /// Pauses the transfer and its overall timeout. An attempt that has sent nothing is not worth a history.
    package mutating func pause(reached: Int64, hasSent: Bool = true, now: Moment) -> [TransferAction]? {
        let actions: [TransferAction]
        switch state {
        case .queued: actions = [.dequeue]
        case .waiting where isUnreadable: return nil
        case .waiting: actions = []
        case .running(let attempt):
            if hasSent { past.record(attempt, endedAt: now, reached: reached, failure: nil) }
            bytesDone = goesOnInTheMiddle ? reached : 0
            actions = [.stop]
        case .paused: return []
        case .saving, .finished: return nil
        }
        state = .paused(since: now.wall, timeLeft: expiry?.remaining(at: now) ?? spec.overallTimeout)
        expiry = nil
        return actions
    }

    /// Changes the transfer's own limit, in bytes a second; nil for no limit.
    package mutating func setRateLimit(_ limit: Int64?) -> [TransferAction]? {
        guard !isFinished else { return nil }
        spec.rateLimit = limit
        return []
    }

    /// Resumes a paused transfer; one that waits for a retry continues at once.
    package mutating func resume(now: Moment) -> [TransferAction]? {
        switch state {
        case .paused(_, let timeLeft):
            past.restarts = 0
            if !spec.predecessors.isEmpty { return awaitPredecessors(now: now) }
            if let date = spec.earliestBegin, date > now.wall {
                state = .waiting(.init(cause: .earliestBegin(date), since: now.wall))
                return [.wakeAt(date)]
            }
            expiry = Deadline(setAt: now, delay: timeLeft)
            if spec.mustAskToBegin { return askToBegin(now: now) + expiryWake }
            state = .queued(since: now.wall)
            return [.enqueue] + expiryWake
        case .waiting(let wait):
            guard case .retry = wait.cause else { return nil }
            past.restarts = 0
            return goOn(now: now)
        case .queued, .running, .saving: return []
        case .finished: return nil
        }
    }

    /// Ends the transfer; the partial file of a download is deleted.
    package mutating func cancel(now: Moment) -> [TransferAction]? {
        cancel(.cancelled, isLeftToApp: false, now: now)
    }

    /// Ends the transfer here so that another machine can continue it: its server is not notified. The end is committed
    /// once no request is under way.
    package mutating func release(now: Moment) -> [TransferAction]? {
        cancel(.released, isLeftToApp: false, now: now).map { [.awaitRequests] + $0 }
    }

    /// Ends a session's task as cancelled; its data is kept if another task can continue with it.
    package mutating func cancelProducingResumeData(now: Moment) -> [TransferAction]? {
        cancel(.cancelled, isLeftToApp: true, now: now)
    }

    /// Ends a session's task because the person quit its app; its data is kept if another task can continue with it.
    package mutating func cancelForQuit(now: Moment) -> [TransferAction]? {
        cancel(.cancelledByQuit, isLeftToApp: true, now: now)
    }

    private mutating func cancel(_ outcome: TransferOutcome, isLeftToApp: Bool, now: Moment) -> [TransferAction]? {
        let stop: [TransferAction]
        switch state {
        case .queued: stop = [.dequeue]
        case .running: stop = [.stop]
        case .waiting, .paused: stop = []
        case .saving, .finished: return nil
        }
        return stop + finish(outcome, isLeftToApp: isLeftToApp, now: now)
    }

    /// Records that the completion command has failed. False if the transfer has been restarted since.
    package mutating func completionFailed(status: Int) -> Bool {
        guard isFinished else { return false }
        completionStatus = status
        return true
    }

    /// Restarts a failed or cancelled transfer, with its full timeout; a waiting transfer continues at once, and one in
    /// line no longer has needs of the machine.
    ///
    /// Does not apply to a session's transfer: its app has received the end, or decides before it continues.
    package mutating func retry(now: Moment) -> [TransferAction]? {
        switch state {
        case .finished(let outcome, _):
            guard !outcome.isSuccess, spec.sessionTask == nil else { return nil }
            past.startOver()
            if spec.isSentOnce == true { past.history = [] }
            // The person wants the transfer now, and pausing it does not restore the predecessors.
            spec.predecessors = []
            completionStatus = nil
            let keepsBytes = FilesAtEnd(of: self, after: outcome, isLeftToApp: false).keepsPartialFile
            startOverMirrors(keepingBytes: keepsBytes)
            if !keepsBytes {
                partial = nil
                bytesDone = 0
                past.furthestByte = 0
            }
            expiry = Deadline(setAt: now, delay: spec.overallTimeout)
            state = .queued(since: now.wall)
            return [.enqueue] + expiryWake
        case .waiting(let wait):
            switch wait.cause {
            case .delegate, .unreadable: return nil
            case .predecessors:
                // The person does not want to wait for other transfers nor, as with any begin date, for that date.
                spec.predecessors = []
                return beginDateCame(now: now)
            case .earliestBegin: return beginDateCame(now: now)
            case .retry, .credentials, .account, .keeper, .setAside:
                if !spec.predecessors.isEmpty { spec.predecessors = [] }
                past.restarts = 0
                return goOn(now: now)
            }
        case .queued where !spec.needs.isEmpty:
            // A person wants the transfer now, whatever the network costs.
            spec.needs = []
            return [.dequeue, .enqueue]
        case .queued, .running, .saving, .paused: return nil
        }
    }

    /// Continues a transfer that waits for its account, which can be used again.
    package mutating func accountAdded(now: Moment) -> [TransferAction]? {
        guard case .waiting(let wait) = state, case .account = wait.cause else { return nil }
        return goOn(now: now)
    }

    /// Replaces or adds header fields, the last of each name, and ends a wait caused by refused credentials.
    package mutating func setHeaders(_ fields: [HeaderField], now: Moment) -> [TransferAction]? {
        guard !isFinished, !isUnreadable else { return nil }
        spec.replaceHeaders(fields)
        if case .waiting(let wait) = state, wait.cause.isForCredentials { return goOn(now: now) }
        return []
    }
}

extension TransferSpec {
    /// Replaces or adds header fields, the last of each name.
    mutating func replaceHeaders(_ fields: [HeaderField]) {
        let last = fields.lastOfEachName
        let names = Set(last.map { $0.name.lowercased() })
        headers.removeAll { names.contains($0.name.lowercased()) }
        headers += last
        setContentTypeOfForm()
    }
}

extension [HeaderField] {
    /// The last field of each name, in order.
    var lastOfEachName: [HeaderField] {
        var names: Set<String> = []
        return reversed().filter { names.insert($0.name.lowercased()).inserted }.reversed()
    }
}
