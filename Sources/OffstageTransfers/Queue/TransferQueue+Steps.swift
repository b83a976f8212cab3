// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
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
                deleteFile(partialPath(transfer))
            case .deleteSnapshot:
                for source in transfer.spec.sources where source.isSnapshot { deleteFile(source.path) }
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

    func partialPath(_ transfer: Transfer) -> String {
        places.partialPath(of: transfer)
    }

    func deleteFile(_ path: String) {
        workers.submit { AttemptFiles.delete(path) }
    }

    private func deliver(_ outcome: TransferOutcome, of transfer: Transfer) {
        if case .failed(let failure, _) = outcome {
            environment.log("transfer \(transfer.id) failed: \(failure.detail)")
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
        if pruning.isDue(at: environment.now()) { loop.startTask { await prune() } }
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
        let now = environment.now()
        guard pruning.begin(at: now) else { return }
        defer { pruning.end() }
        let oldest = now.wall.addingTimeInterval(-86_400 * Double(settings.keepFinishedDays))
        // Some at a time: a session may have had a hundred thousand, and neither loop nor store is to be held.
        while !isStopping {
            let pruned = try? await store.prune(finishedBefore: oldest, keeping: settings.keepFinishedCount)
            guard let pruned, !pruned.isEmpty else { return }
            for one in pruned {
                if let transfer = one.transfer { forgetFiles(of: transfer) } else { forgotten(one.id) }
            }
        }
    }

    /// Deletes snapshots that no transfer knows: their owner died before it handed them over. To be called only when
    /// everything that was handed over to the daemon before is in the store.
    package func sweepSnapshots() async {
        let folder = places.snapshots
        let names = await workers.run { OldFiles.names(in: folder, olderThan: 86_400) }
        for name in names {
            let page = try? await store.page(TransferQuery(text: name, limit: 1))
            if page?.transfers.isEmpty == true { deleteFile(folder + "/" + name) }
        }
    }

    /// Deletes those of the named files that no transfer sends or makes. To be called when nobody hands over a transfer
    /// with one of them any more.
    ///
    /// - Parameters:
    ///   - names: files in the folder.
    ///   - folder: where they are.
    ///   - prefix: what all the names begin with.
    ///   - kinds: what a transfer must be to have a claim on its file; nil for anything.
    package func deleteUnclaimed(
        _ names: [String],
        in folder: String,
        prefix: String,
        kinds: [TransferState.Kind]? = nil
    ) async {
        var unclaimed = Set(names.map { folder + "/" + $0 })
        var before: TransferID?
        while !unclaimed.isEmpty {
            let query = TransferQuery(kinds: kinds, text: folder + "/" + prefix, before: before, limit: 500)
            // Without an answer nothing is deleted: there is another time.
            guard let page = try? await store.page(query) else { return }
            for transfer in page.transfers { unclaimed.subtract(transfer.spec.paths) }
            before = page.transfers.last?.id
            if !page.hasMore || before == nil { break }
        }
        let deleted = unclaimed
        if !deleted.isEmpty { workers.submit { for path in deleted { AttemptFiles.delete(path) } } }
    }

    /// Deletes those of the named files that are responses to transfers which are not there any more, or whose app has
    /// been told.
    package func deleteUnclaimedResponses(_ names: [String], in folder: String) async {
        let ids = names.compactMap { ResponseFile.id(name: $0, storeToken: places.storeToken) }
        for start in stride(from: 0, to: ids.count, by: 256) {
            let chunk = Array(ids[start..<min(start + 256, ids.count)])
            // In this order: what has ended in between is not taken for what its app has been told.
            guard let found = try? await store.transfers(chunk), let untold = try? await store.untold(chunk) else {
                return
            }
            let claimed = found.filter { !$0.isFinished || untold.contains($0.id) }
            for id in Set(chunk).subtracting(claimed.map(\.id)) {
                deleteFile(ResponseFile.path(folder: folder, id: id, storeToken: places.storeToken))
            }
        }
    }

    /// Deletes what a finished transfer may have left for a retry, or for a delegate that was told of it.
    func forgetFiles(of transfer: Transfer) {
        if !transfer.spec.isUpload, transfer.outcome?.isSuccess == false { deleteFile(partialPath(transfer)) }
        for source in transfer.spec.sources where source.isSnapshot { deleteFile(source.path) }
        if transfer.spec.sessionTask != nil {
            let folder = places.responses(transfer.spec.owner) + "/"
            let body = transfer.outcome?.answer?.bodyPath
            for path in [body, transfer.spec.isUpload ? nil : transfer.spec.path].compactMap(\.self)
            where path.hasPrefix(folder) { deleteFile(path) }
        }
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
