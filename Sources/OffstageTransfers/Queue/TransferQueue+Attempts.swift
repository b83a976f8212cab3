// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageRuntime

extension TransferQueue {
    /// Gives free slots to whose turn it is.
    func fill() {
        guard !isStopping, engine != nil, !isHeldBySchedule, settling.count < Self.settlingLimit else { return }
        var reachable: [String: Bool] = [:]
        var chosen: [TransferID] = []
        tellNeeds()
        while let id = schedule.next(canReach: { hostKey, needs in
            let host = Self.host(of: hostKey)
            let answer = reachable[hostKey] ?? (environment.networkProblem(host) == nil)
            reachable[hostKey] = answer
            return answer && machineHold(needs, host) == nil
        }) {
            chosen.append(id)
        }
        guard !chosen.isEmpty else { return }
        loop.startTask {
            await load(chosen)
            for id in chosen { prepare(id) }
            // A slot whose transfer turned out to be gone or paused is given to the next.
            if chosen.contains(where: { !schedule.isRunning($0) }) { fill() }
        }
    }

    /// What of the machine keeps a transfer from beginning.
    func hold(of transfer: Transfer) -> TransferHold? {
        isHeldBySchedule ? .schedule : machineHold(transfer.spec.needs, transfer.spec.url.host)
    }

    /// Has the machine watched for what transfers need of it, and for nothing else.
    private func tellNeeds() {
        let needs = schedule.needs
        guard needs != toldNeeds else { return }
        toldNeeds = needs
        machineWish(needs)
    }

    static func host(of hostKey: String) -> String {
        if hostKey.hasPrefix("["), let end = hostKey.firstIndex(of: "]") {
            return String(hostKey[hostKey.index(after: hostKey.startIndex)..<end])
        }
        return hostKey.split(separator: ":").first.map(String.init) ?? hostKey
    }

    /// Opens the file of a transfer whose turn it is.
    private func prepare(_ id: TransferID) {
        guard schedule.isRunning(id) else { return }
        guard let transfer = live[id]?.transfer, case .queued = transfer.state, live[id]?.file == nil else {
            // Changed, or the file of an attempt that is being broken off is still open: `released` enqueues again.
            schedule.remove(id)
            return
        }
        // Of what the daemon before left, only what is read by now says what it needs.
        guard schedule.needs(ofRunning: id) == transfer.spec.needs, hold(of: transfer) == nil else {
            schedule.remove(id)
            lineUp(transfer)
            release(id)
            return
        }
        live[id]?.startCount += 1
        let count = live[id]?.startCount ?? 0
        let token = storeToken
        let bootID = environment.now().bootID
        let folder = resumableFolder
        loop.startTask {
            let opened = await workers.run {
                Doing.transfer(id, .openingFile) {
                    Doing.faultPoint("trap-in-opening", id)
                    return AttemptFiles.open(transfer, storeToken: token, bootID: bootID, resumableFolder: folder)
                }
            }
            self.prepared(id, count: count, opened)
        }
    }

    private func prepared(_ id: TransferID, count: Int, _ opened: Result<AttemptFiles.Opened, TransferFailure>) {
        let isStillMeant = live[id]?.startCount == count && schedule.isRunning(id) && !isStopping
        guard isStillMeant, case .queued? = live[id]?.transfer.state else {
            if case .success(let file) = opened {
                close(file.fileDescriptor)
                loop.startTask { await deleteIfStray(id) }
            }
            return
        }
        if isHeldBySchedule, let transfer = live[id]?.transfer {
            // The pause began while the file was being opened.
            if case .success(let file) = opened { close(file.fileDescriptor) }
            schedule.remove(id)
            lineUp(transfer)
            release(id)
            return
        }
        switch notTaken(id, withDialect(id, opened)) {
        case .success(let file):
            live[id]?.file = file
            live[id]?.isRunningStored = false
            live[id]?.syncAskedAt = file.offset
            live[id]?.meter = RateMeter()
            step(id) {
                $0.started(now: $1, offset: file.offset, file: file.identity, partialTag: file.partialTag)
            }
            if let transfer = live[id]?.transfer { notifyChanged(transfer) }
        case .failure(let failure):
            schedule.remove(id)
            step(id) { transfer, now in
                // What a dialect's server has acknowledged stays so.
                let kept = transfer.spec.dialect == nil ? 0 : transfer.bytesDone
                _ = transfer.started(now: now, offset: kept)
                return transfer.attemptEnded(
                    attempt: transfer.attempts,
                    .failed(failure),
                    reached: kept,
                    now: now,
                    policy: self.policy,
                    jitter: self.environment.jitter()
                )
            }
            survived(id)
            fill()
        }
    }

    /// Refuses a download whose target an older one that runs is fetching: only one of them could have the name in the end.
    private func notTaken(
        _ id: TransferID,
        _ opened: Result<AttemptFiles.Opened, TransferFailure>
    ) -> Result<AttemptFiles.Opened, TransferFailure> {
        guard case .success(let file) = opened, case .download(let target)? = live[id]?.transfer.spec.direction else {
            return opened
        }
        guard target.remoteName != .wanted, let other = fetching(target.path, in: file.folder, where: { $0 < id })
        else {
            return opened
        }
        close(file.fileDescriptor)
        loop.startTask { await deleteIfStray(id) }
        return .failure(Self.isFetched(target.path, by: other))
    }

    /// A partial file may have been made just after its transfer was cancelled: nobody else would delete it.
    private func deleteIfStray(_ id: TransferID) async {
        await load([id])
        guard let transfer = live[id]?.transfer else { return }
        let isOfNoUse = transfer.partial?.validator == nil || transfer.spec.sessionTask != nil
        if !transfer.spec.isUpload, transfer.isFinished, isOfNoUse, live[id]?.keepsPartialFile != true {
            deleteFile(partialPath(transfer))
        }
        release(id)
    }

    var policy: RetryPolicy {
        RetryPolicy(baseDelay: settings.retryBaseDelay, maximumDelay: settings.retryMaximumDelay)
    }

    func startEngine(_ id: TransferID, attempt: Int) {
        guard let entry = live[id], let file = entry.file, let engine else { return }
        let isSmall = entry.transfer.spec.isUpload && file.identity.size <= 1 << 20
        let isLarge = !isSmall && largeBufferUsers < Self.largeBufferLimit
        if isLarge { largeBufferUsers += 1 }
        live[id]?.usesLargeBuffers = isLarge
        offstage_under_way(id.rawValue, 1)
        if entry.transfer.spec.isUpload { return Doing.transfer(id, .deciding) { advance(id, attempt: attempt) } }
        live[id]?.isInEngine = true
        engine.start([
            EngineRequest(
                id: id,
                attempt: attempt,
                spec: entry.transfer.spec,
                fileDescriptor: file.fileDescriptor,
                filePath: file.path,
                offset: file.offset,
                partial: entry.transfer.partial,
                rateLimit: globalRateLimit == nil ? entry.transfer.spec.rateLimit : 1,
                usesLargeBuffers: isLarge
            )
        ])
        if globalRateLimit != nil { shareBandwidth() }
    }

    /// Called on the loop with what the engine reports, in order.
    package func engineReported(_ events: [EngineEvent]) {
        for event in events {
            switch event {
            case .receiving(let id, let attempt, let validator, let total):
                let bootID = environment.now().bootID
                live[id]?.transfer.receiving(attempt: attempt, validator: validator, total: total, bootID: bootID)
                loop.startTask {
                    // A short one has ended by now: what that is stored with holds this, too.
                    if self.isRunning(id, attempt: attempt) { await persist(id) }
                }
            case .naming(let id, let attempt, let name):
                named(id, attempt: attempt, name)
            case .progress(let list):
                progressed(list)
            case .ended(let id, let attempt, let result, let reached):
                Doing.transfer(id, .deciding) { ended(id, attempt: attempt, result, reached: reached) }
            case .released(let id, _):
                live[id]?.isInEngine = false
                closeFile(of: id)
                afterRelease(id)
            }
        }
        fill()
    }

    private func progressed(_ list: [EngineProgress]) {
        let uptime = environment.now().uptime
        var notices: [TransferNotice.Progress] = []
        for progress in list {
            guard var entry = live[progress.id] else { continue }
            entry.transfer.progressed(
                attempt: progress.attempt,
                done: progress.bytesDone,
                total: progress.bytesTotal,
                synced: nil
            )
            entry.meter.add(bytes: progress.bytesDone, uptime: uptime)
            let mustStore = !entry.isRunningStored
            entry.isRunningStored = true
            live[progress.id] = entry
            notices.append(
                .init(
                    id: progress.id,
                    bytesDone: entry.transfer.bytesDone,
                    bytesTotal: entry.transfer.bytesTotal,
                    rate: entry.meter.rate,
                    standing: standing(of: entry.transfer)
                )
            )
            // The first tick stores that it runs; later ones store nothing but checkpoints.
            if mustStore { loop.startTask { await persist(progress.id) } }
            checkpoint(progress.id)
        }
        notifyProgress(notices)
        tellSessions(notices)
    }

    /// Syncs a long download now and then, so that a power loss costs no more than the interval.
    private func checkpoint(_ id: TransferID) {
        guard let entry = live[id], let file = entry.file, !entry.transfer.spec.isUpload,
            entry.transfer.partial?.validator != nil,
            entry.transfer.bytesDone - entry.syncAskedAt >= Self.syncInterval,
            case .running(let attempt) = entry.transfer.state
        else { return }
        let done = entry.transfer.bytesDone
        live[id]?.syncAskedAt = done
        // A descriptor of its own: the attempt may end, and close its own, while this one syncs.
        let descriptor = fcntl(file.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { return }
        loop.startTask {
            let isSynced = await workers.run {
                defer { close(descriptor) }
                return fdatasync(descriptor) == 0
            }
            guard isSynced, let entry = live[id] else { return }
            live[id]?.transfer.progressed(
                attempt: attempt.number,
                done: entry.transfer.bytesDone,
                total: nil,
                synced: done
            )
            await persist(id)
        }
    }

    /// The attempt has stopped being carried out, or one request of it has.
    private func ended(_ id: TransferID, attempt: Int, _ result: AttemptResult, reached: Int64) {
        live[id]?.isInEngine = false
        guard live[id]?.dialect != nil, isRunning(id, attempt: attempt) else {
            return conclude(id, attempt: attempt, result, reached: reached)
        }
        requestEnded(id, attempt: attempt, result, reached: reached)
    }

    func isRunning(_ id: TransferID, attempt: Int) -> Bool {
        if case .running(let current)? = live[id]?.transfer.state { current.number == attempt } else { false }
    }

    /// Breaks an attempt off. Between two requests of it nobody else will say that its file is not used any more.
    func stop(_ id: TransferID, attempt: Int) {
        if live[id]?.isInEngine == true {
            engine?.stop(id, attempt: attempt)
        } else if live[id]?.dialect != nil {
            loop.startTask {
                guard live[id]?.isInEngine != true, !self.isRunning(id, attempt: attempt) else { return }
                closeFile(of: id)
                afterRelease(id)
            }
        }
    }

    /// The attempt is over.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - attempt: its number.
    ///   - result: how it ended.
    ///   - reached: the byte of the file that it got to.
    ///   - madeAt: where an upload's file is, if not where it was asked to be.
    func conclude(
        _ id: TransferID,
        attempt: Int,
        _ result: AttemptResult,
        reached: Int64,
        madeAt: String? = nil
    ) {
        defer { if globalRateLimit != nil { shareBandwidth() } }
        guard let transfer = live[id]?.transfer, case .running(let current) = transfer.state else {
            // Paused or cancelled in the meantime.
            closeFile(of: id)
            afterRelease(id)
            return
        }
        // The file, the dialect and the slot are those of the attempt that runs now.
        guard current.number == attempt else { return }
        let result = result.withoutSecrets(of: transfer.spec)
        dropDialect(of: id)
        schedule.remove(id)
        returnBuffers(id)
        if case .failed(let failure) = result, failure.retryClass == .connection,
            environment.networkProblem(transfer.spec.url.host) != nil
        {
            closeFile(of: id)
            settle(id) { $0.networkLost(reached: reached, now: $1) }
            return
        }
        // The file of an answered download stays open for the save, if the rule says that there is one.
        let mayBeSaved = if case .answered = result { !transfer.spec.isUpload } else { false }
        if !mayBeSaved { closeFile(of: id) }
        settle(id) {
            if let madeAt { $0.spec.dialect?.destination = madeAt }
            return $0.attemptEnded(
                attempt: attempt,
                result,
                reached: reached,
                now: $1,
                policy: policy,
                jitter: environment.jitter()
            )
        }
        if case .saving? = live[id]?.transfer.state { return }
        closeFile(of: id)
        survived(id)
    }

    /// Decides what an attempt's end means. Until the store has it, it counts as being settled.
    private func settle(_ id: TransferID, _ decide: (inout Transfer, Moment) -> [TransferAction]?) {
        if step(id, decide) != nil { settling.insert(id) }
    }

    private func returnBuffers(_ id: TransferID) {
        if live[id]?.usesLargeBuffers == true {
            live[id]?.usesLargeBuffers = false
            largeBufferUsers -= 1
        }
    }

    private func closeFile(of id: TransferID) {
        returnBuffers(id)
        dropDialect(of: id)
        offstage_under_way(id.rawValue, 0)
        guard let file = live[id]?.file else { return }
        live[id]?.file = nil
        if file.fileDescriptor >= 0 { close(file.fileDescriptor) }
        for waiter in fileWaiters.removeValue(forKey: id) ?? [] { waiter.resume() }
    }

    /// The engine has let go of an attempt that was broken off.
    private func afterRelease(_ id: TransferID) {
        guard let transfer = live[id]?.transfer else { return }
        switch transfer.state {
        case .queued: perform([.enqueue], for: transfer)
        case .finished(.cancelled, _), .finished(.cancelledByQuit, _):
            if !transfer.spec.isUpload, live[id]?.keepsPartialFile != true { deleteFile(partialPath(transfer)) }
        case .waiting, .running, .saving, .paused, .finished: break
        }
        release(id)
    }

    /// Divides the limit of all transfers between those that run.
    func shareBandwidth() {
        let running = live.compactMap { id, entry -> (TransferID, Int, Int64?)? in
            guard case .running(let attempt) = entry.transfer.state else { return nil }
            return (id, attempt.number, entry.transfer.spec.rateLimit)
        }
        let shares = BandwidthShares.divide(globalRateLimit, caps: running.map(\.2))
        for (attempt, share) in zip(running, shares) {
            engine?.setRateLimit(attempt.0, attempt: attempt.1, bytesPerSecond: share)
        }
    }
}
