// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import OffstageCore
import OffstageRuntime

/// How attempts begin: the file is opened, and then the attempt begins if the transfer still wants it.
extension AttemptRunner {
    /// Opens the file of a transfer whose turn it is.
    func prepare(_ id: TransferID) {
        guard registry.schedule.isRunning(id) else { return }
        guard let transfer = registry[id]?.transfer, case .queued = transfer.state, registry[id]?.run == nil else {
            // Changed, or an attempt that was broken off has not ended yet: `goOn` enqueues the transfer again.
            turns.leave(id)
            return
        }
        // For transfers left by the previous daemon, the needs are known only once they have been read.
        guard registry.schedule.needs(ofRunning: id) == transfer.spec.needs, turns.hold(of: transfer) == nil else {
            turns.leave(id)
            turns.lineUp(transfer)
            registry.release(id)
            return
        }
        if let keeper = transfer.spec.keeper, !keepers.isAttached(keeper.fleet) {
            turns.leave(id)
            registry.step(id) { KeeperStep.absent.apply(to: &$0, now: $1) }
            return
        }
        if let problem = turns.detour(of: transfer) {
            turns.leave(id)
            let jitter = environment.jitter()
            registry.step(id) {
                $0.outOfReach(problem, now: $1, policy: policy, jitter: jitter, canReach: turns.canReach)
            }
            return
        }
        stalls.begins(transfer.spec)
        openings += 1
        let opening = openings
        registry[id]?.run = AttemptRun(opening: opening, hasKeeper: transfer.spec.keeper != nil)
        let token = places.storeToken
        let bootID = registry.now().bootID
        let folder = places.resumable
        let checkpoint = registry[id]?.checkpoint
        registry.loop.startTask {
            // How much of the file counts may depend on a sync that the previous attempt began.
            _ = await checkpoint?.value
            self.registry[id]?.checkpoint = nil
            let known = self.registry[id]?.transfer ?? transfer
            let opened = await self.lanes.lane(for: known.spec).workers.run {
                Doing.transfer(id, .openingFile) {
                    Doing.faultPoint("trap-in-opening", id)
                    return AttemptFiles.open(known, storeToken: token, bootID: bootID, resumableFolder: folder)
                }
            }
            self.prepared(id, opening, opened)
        }
    }

    private func prepared(_ id: TransferID, _ opening: UInt64, _ opened: Result<AttemptFiles.Opened, TransferFailure>) {
        guard registry[id]?.run?.opening == opening else {
            // Forgotten in the meantime.
            if case .success(let file) = opened { lanes.close(file) }
            registry.loop.startTask { await self.deleteIfStray(id) }
            return
        }
        if !isStillMeant(id) {
            turns.leave(id)
            handle(.breakOff, of: id)
        }
        if registry[id]?.run?.attempt.phase == .abandoned {
            if case .success(let file) = opened { registry[id]?.run?.file = file }
            handle(.opened(nil, offset: 0), of: id)
            registry.loop.startTask { await self.deleteIfStray(id) }
            return
        }
        switch mayBegin(id, opened) {
        case .success(let file): begin(id, file)
        case .failure(let failure): cannotBegin(id, failure)
        }
    }

    /// Whether a transfer whose file has been opened should still begin.
    private func isStillMeant(_ id: TransferID) -> Bool {
        guard case .queued? = registry[id]?.transfer.state else { return false }
        return registry.schedule.isRunning(id) && !registry.isStopping && !turns.holdsEverything
    }

    private func begin(_ id: TransferID, _ file: AttemptFiles.Opened) {
        do throws(RequestError) {
            let dialect = try dialects.dialect(of: id, file)
            let others = lanes.otherFileSystems(of: registry[id]?.transfer.spec.connectionPaths ?? [])
            var file = file
            file.fileSystems.append(contentsOf: others)
            registry[id]?.run?.file = file
            let pieces = pieces(of: id, file)
            let download = try registry[id].flatMap { entry throws(RequestError) in
                try Dialects.download(entry.transfer.spec)
            }
            let offset = dialect?.acknowledged ?? file.offset
            handle(.opened(dialect, offset: offset, pieces: pieces, download: download), of: id)
        } catch {
            lanes.close(file)
            cannotBegin(id, TransferFailure(.internalError, "it cannot be carried out: \(error.sentence)"))
        }
    }

    func begin(_ id: TransferID, offset: Int64) {
        guard let file = registry[id]?.run?.file else { return }
        registry[id]?.isRunningStored = false
        // A file with holes contains more than its beginning.
        let held = file.held.flatMap { $0.end > offset ? $0 : nil }
        let done = held?.count ?? offset
        registry[id]?.run?.syncAskedAt = done
        if case .queued(let since)? = registry[id]?.transfer.state {
            let now = registry.now()
            registry[id]?.run?.begun = (max(0, now.wall.timeIntervalSince(since)), now)
        }
        registry.step(id) {
            $0.started(now: $1, offset: done, file: file.identity, partialTag: file.partialTag, held: held)
        }
        if let transfer = registry[id]?.transfer { notices.changed(transfer) }
    }

    /// Marks the transfer as running.
    func begun(_ id: TransferID, number: Int) {
        guard let entry = registry[id], let file = entry.run?.file else { return }
        let isSmall = entry.transfer.spec.isUpload && file.identity.size <= 1 << 20
        registry[id]?.run?.usesLargeBuffers = !isSmall && largeBuffers.reserve()
        offstage_under_way(id.rawValue, 1)
        Doing.transfer(id, .deciding) { handle(.begun(number: number), of: id) }
    }

    /// Ends an attempt before its first byte: it counts as a failed attempt.
    private func cannotBegin(_ id: TransferID, _ failure: TransferFailure) {
        turns.leave(id)
        handle(.notOpened, of: id)
        registry.step(id) { transfer, now in
            transfer.couldNotBegin(failure, now: now, policy: self.policy, jitter: self.environment.jitter())
        }
        turns.survived(id)
        turns.fill()
    }

    /// Refuses an attempt that must not begin although its file could be opened.
    private func mayBegin(
        _ id: TransferID,
        _ opened: Result<AttemptFiles.Opened, TransferFailure>
    ) -> Result<AttemptFiles.Opened, TransferFailure> {
        guard case .success(let file) = opened,
            let refusal = registry[id].flatMap({ TransferFailure.repetition(of: $0.transfer) })
        else { return notTaken(id, opened) }
        lanes.close(file)
        return .failure(refusal)
    }

    /// Refuses a download whose target an older running one is fetching: only one of them could end up with the name.
    private func notTaken(
        _ id: TransferID,
        _ opened: Result<AttemptFiles.Opened, TransferFailure>
    ) -> Result<AttemptFiles.Opened, TransferFailure> {
        guard case .success(let file) = opened, case .download(let target)? = registry[id]?.transfer.spec.direction
        else {
            return opened
        }
        guard target.remoteName != .wanted,
            let other = targets.fetching(target.path, in: file.folder, where: { $0 < id })
        else {
            return opened
        }
        lanes.close(file)
        registry.loop.startTask { await self.deleteIfStray(id) }
        return .failure(RunningTargets.isFetched(target.path, by: other))
    }

    /// Deletes a partial file that was made just after its transfer was cancelled: nothing else would delete it.
    private func deleteIfStray(_ id: TransferID) async {
        await registry.load([id])
        guard let transfer = registry[id]?.transfer else { return }
        let isOfNoUse = transfer.partial?.isContinuable != true || transfer.spec.sessionTask != nil
        if !transfer.spec.isUpload, transfer.isFinished, isOfNoUse, registry[id]?.keepsPartialFile != true {
            leftovers.deletePartialFile(of: transfer)
        }
        registry.release(id)
    }
}
