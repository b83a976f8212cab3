// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles
import OffstageRuntime

extension TransferQueue {
    /// Lets one rule decide for a transfer in memory, commits what it decided, then does what it asked for.
    ///
    /// Breaking off and leaving the line do not wait for the commit: they are safe to repeat, and a pause takes
    /// effect at once. Everything else happens only when the decision is durable.
    @discardableResult
    func step(
        _ id: TransferID,
        _ decide: (inout Transfer, Moment) -> [TransferAction]?
    ) -> Task<Void, Never>? {
        guard var entry = live[id] else { return nil }
        let before = entry.transfer
        // What ends an attempt stores what is across, and not what has been sent of the request under way.
        entry.transfer = before.reaching(kept(of: before))
        let decided = Doing.transfer(id, .deciding) {
            Doing.faultPoint("trap-in-decision", id)
            return decide(&entry.transfer, environment.now())
        }
        guard let actions = decided else { return nil }
        if before.isRunning { entry.transfer = entry.transfer.reaching(before.bytesDone) }
        if entry.transfer.isFinished { entry.stateUntilCommitted = before.state }
        if entry.transfer.spec != before.spec || before.isUnreadable { entry.isSpecChanged = true }
        // Given up: what stands in its place is its record from now on.
        if before.isUnreadable, entry.transfer.isFinished { crashes.forget(.transfer(id)) }
        live[id] = entry
        let immediate = actions.filter { $0 == .stop || $0 == .dequeue }
        perform(immediate, for: entry.transfer, attempt: before)
        guard entry.transfer != before || !actions.isEmpty else { return nil }
        noteWait(entry.transfer)
        noteAwaited(entry.transfer, before: before)
        let later = actions.filter { $0 != .stop && $0 != .dequeue }
        if case .running = entry.transfer.state, later.contains(where: \.isBegin) {
            // A start is not written before it happens: if the daemon dies it is simply in line again.
            perform(later, for: entry.transfer)
            return nil
        }
        if entry.transfer == before {
            perform(later, for: entry.transfer)
            armAlarm()
            return nil
        }
        // Counted here and not when the task begins: an attempt that is let go of in between would release the
        // transfer, and the decision would never be written.
        live[id]?.pendingCommits += 1
        let mustKeepFile = later.contains(.keepPartialFile)
        if mustKeepFile { live[id]?.keepsPartialFile = true }
        return loop.startTask {
            if mustKeepFile { await self.keepPartialFile(id) }
            await self.persist(id)
            self.live[id]?.pendingCommits -= 1
            self.finishStep(id, decided: entry.transfer, later)
            if before.isFinished, !entry.transfer.isFinished { self.predecessorChanged(id) }
        }
    }

    private func finishStep(_ id: TransferID, decided: Transfer, _ actions: [TransferAction]) {
        live[id]?.stateUntilCommitted = nil
        let transfer = live[id]?.transfer ?? decided
        if !transfer.isBeingSaved { settling.remove(id) }
        perform(actions, for: transfer)
        if !actions.contains(where: \.isDeliver) { notifyChanged(transfer) }
        release(id)
        armAlarm()
        fill()
    }

    /// Does what a rule asked for.
    func perform(_ actions: [TransferAction], for transfer: Transfer, attempt before: Transfer? = nil) {
        let id = transfer.id
        for action in actions {
            switch action {
            case .enqueue:
                guard case .queued = transfer.state, !isStopping else { continue }
                lineUp(transfer)
            case .dequeue:
                schedule.remove(id)
                if live[id]?.run?.attempt.phase == .opening { breakOff(id) }
                trialEnded(id)
            case .begin(let attempt):
                begun(id, number: attempt)
            case .stop:
                schedule.remove(id)
                trialEnded(id)
                breakOff(id)
            case .save:
                save(id)
            case .wake(let deadline):
                deadlines.insert(id, deadline, now: environment.now())
            case .wakeAt(let date):
                deadlines.insert(id, date)
            case .awaitPredecessors:
                awaitPredecessors(of: transfer)
            case .askForCredentials:
                askCredentialHelper(transfer)
            case .askDelegate(let question):
                sessionSink?(.question(transfer, question))
            case .keepPartialFile:
                break  // done before the commit
            case .deletePartialFile:
                leftovers.delete(places.partialPath(of: transfer))
            case .deleteSnapshot:
                for source in transfer.spec.sources where source.isSnapshot { leftovers.delete(source.path) }
            case .deliver(let outcome):
                deliver(outcome, of: transfer)
            }
        }
    }

    private func noteWait(_ transfer: Transfer) {
        if case .waiting(let wait) = transfer.state, case .retry(let failure, _) = wait.cause,
            failure.retryClass == .connection
        {
            waitingOnConnection.insert(transfer.id)
        } else if !waitingOnConnection.isEmpty {
            waitingOnConnection.remove(transfer.id)
        }
    }

    private func deliver(_ outcome: TransferOutcome, of transfer: Transfer) {
        if case .failed(let failure, _) = outcome {
            environment.log.notice(
                "a transfer failed",
                ["transfer": transfer.id, "url": transfer.spec.url, "reason": failure]
            )
        }
        digestCache.forget(transfer.id)
        notifyFinished(transfer)
        if transfer.spec.sessionTask != nil { sessionSink?(.ended(transfer)) }
        predecessorChanged(transfer.id, hasCompleted: outcome.isSuccess)
        pruning.note(ended: 1)
        if let completion = transfer.spec.completionCommand {
            environment.runCommand(
                completion.command,
                completion.workingDirectory,
                Self.completionVariables(transfer, outcome)
            )
        }
        pruneIfDue()
    }

    /// The command that was run for the end of a transfer has failed: whoever looks at the transfer is told.
    package func completionFailed(of transfer: String, status: Int) {
        guard let number = Int64(transfer) else { return }
        let id = TransferID(rawValue: number)
        loop.startTask {
            await load([id])
            if live[id]?.transfer.completionFailed(status: status) == true { await persist(id) }
            release(id)
        }
    }

    func pruneIfDue() {
        // Begun at once: hundreds of ends may come before the task's turn.
        if pruning.beginIfDue(at: environment.now()) { loop.startTask { await carryOutPrune() } }
    }

    private static func completionVariables(_ transfer: Transfer, _ outcome: TransferOutcome) -> [String: String] {
        var variables = [
            "OFFSTAGE_ID": "\(transfer.id)",
            "OFFSTAGE_PATH": transfer.spec.path,
            "OFFSTAGE_URL": transfer.spec.dialect?.destination ?? transfer.spec.url.withoutQuery,
            "OFFSTAGE_STATUS": outcome.answer.map { "\($0.status)" } ?? "",
        ]
        switch outcome {
        case .completed: variables["OFFSTAGE_RESULT"] = "completed"
        case .failed(let failure, _):
            variables["OFFSTAGE_RESULT"] = "failed"
            variables["OFFSTAGE_ERROR"] = failure.detail
        case .cancelled, .cancelledByQuit: variables["OFFSTAGE_RESULT"] = "cancelled"
        }
        return variables
    }

    private func askCredentialHelper(_ transfer: Transfer) {
        guard let helper = settings.credentialHelper, !isStopping else { return }
        let variables = ["OFFSTAGE_HOST": transfer.spec.url.host, "OFFSTAGE_URL": transfer.spec.url.withoutQuery]
        loop.startTask {
            guard let output = await environment.readCommand(helper, variables) else { return }
            let fields = output.split(separator: "\n").compactMap { line in
                try? HeaderField(parsing: String(line))
            }
            if !fields.isEmpty { try? await setHeaders(fields, of: transfer.id, fromHelper: true) }
        }
    }

    /// Forgets finished transfers beyond what is to be kept.
    func prune() async {
        if pruning.begin(at: environment.now()) { await carryOutPrune() }
    }

    /// `pruning` has begun.
    private func carryOutPrune() async {
        defer { pruning.end() }
        let oldest = environment.now().wall.addingTimeInterval(-86_400 * Double(settings.keepFinishedDays))
        // Some at a time: a session may have had a hundred thousand, and neither loop nor store is to be held.
        while !isStopping {
            let pruned = try? await store.prune(finishedBefore: oldest, keeping: settings.keepFinishedCount)
            guard let pruned, !pruned.isEmpty else { return }
            for one in pruned {
                if let transfer = one.transfer { forgetFiles(of: transfer) } else { forgotten(one.id) }
            }
        }
    }

    /// Forgets a finished transfer, with what it may have left.
    func forgetFiles(of transfer: Transfer) {
        leftovers.delete(leftovers.files(of: transfer))
        forgotten(transfer.id)
    }

    private func forgotten(_ id: TransferID) {
        live[id] = nil
        settling.remove(id)
        predecessorChanged(id)
        crashes.forget(.transfer(id))
        observers.send(about: id, toAll: true) { .removed(id) }
    }
}

extension Transfer {
    /// Whether an attempt runs; what is being saved has all its bytes.
    fileprivate var isRunning: Bool {
        if case .running = state { true } else { false }
    }

    fileprivate var isBeingSaved: Bool {
        if case .saving = state { true } else { false }
    }
}

extension TransferAction {
    fileprivate var isBegin: Bool {
        if case .begin = self { true } else { false }
    }

    fileprivate var isDeliver: Bool {
        if case .deliver = self { true } else { false }
    }
}
