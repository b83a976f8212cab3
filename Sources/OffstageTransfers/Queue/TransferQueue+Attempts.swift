// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore
import OffstageRuntime

extension TransferQueue {
    /// Gives free slots to whose turn it is.
    func fill() {
        guard !isStopping, engine != nil, !isHeldBySchedule, settling.count < Self.settlingLimit else { return }
        var reachable: [String: Bool] = [:]
        var chosen: [TransferID] = []
        machine.tell(schedule.needs)
        while let id = schedule.next(canReach: { hostKey, needs in
            let host = Self.host(of: hostKey)
            let answer = reachable[hostKey] ?? (environment.networkProblem(host) == nil)
            reachable[hostKey] = answer
            return answer && machine.hold(needs, host) == nil
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
        isHeldBySchedule ? .schedule : machine.hold(transfer.spec.needs, transfer.spec.url.host)
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
        guard let transfer = live[id]?.transfer, case .queued = transfer.state, live[id]?.run == nil else {
            // Changed, or an attempt that is being broken off has not come to its end: `goOn` enqueues again.
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
        openings += 1
        let opening = openings
        live[id]?.run = AttemptRun(opening: opening)
        let token = places.storeToken
        let bootID = environment.now().bootID
        let folder = places.resumable
        loop.startTask {
            let opened = await workers.run {
                Doing.transfer(id, .openingFile) {
                    Doing.faultPoint("trap-in-opening", id)
                    return AttemptFiles.open(transfer, storeToken: token, bootID: bootID, resumableFolder: folder)
                }
            }
            self.prepared(id, opening, opened)
        }
    }

    private func prepared(_ id: TransferID, _ opening: UInt64, _ opened: Result<AttemptFiles.Opened, TransferFailure>) {
        guard live[id]?.run?.opening == opening else {
            // Forgotten meanwhile.
            if case .success(let file) = opened { file.close() }
            loop.startTask { await deleteIfStray(id) }
            return
        }
        if !isStillMeant(id) {
            schedule.remove(id)
            handle(.breakOff, of: id)
        }
        if live[id]?.run?.attempt.phase == .abandoned {
            if case .success(let file) = opened { live[id]?.run?.file = file }
            handle(.opened(nil, offset: 0), of: id)
            loop.startTask { await deleteIfStray(id) }
            return
        }
        switch notTaken(id, opened) {
        case .success(let file): begin(id, file)
        case .failure(let failure): cannotBegin(id, failure)
        }
    }

    /// Whether a transfer whose file has been opened is still to begin.
    private func isStillMeant(_ id: TransferID) -> Bool {
        guard schedule.isRunning(id), !isStopping, !isHeldBySchedule, case .queued? = live[id]?.transfer.state else {
            return false
        }
        return true
    }

    private func begin(_ id: TransferID, _ file: AttemptFiles.Opened) {
        do throws(RequestError) {
            let dialect = try dialect(of: id, file)
            live[id]?.run?.file = file
            handle(.opened(dialect, offset: dialect?.acknowledged ?? file.offset), of: id)
        } catch {
            file.close()
            cannotBegin(id, TransferFailure(.internalError, "it cannot be sent: \(error.sentence)"))
        }
    }

    /// The dialect of an upload whose file is open: it knows from which byte the attempt goes on.
    private func dialect(
        of id: TransferID,
        _ file: AttemptFiles.Opened
    ) throws(RequestError) -> (any UploadDialect)? {
        guard let transfer = live[id]?.transfer, transfer.spec.isUpload else { return nil }
        let dialect = try Dialects.make(transfer.spec, memory: transfer.dialectMemory, now: environment.now())
        guard var hashing = dialect as? any HashingDialect, let known = digestCache.take(id, file: file.identity) else {
            return dialect
        }
        hashing.digests = known
        return hashing
    }

    /// The attempt counts, and has failed before its first byte.
    private func cannotBegin(_ id: TransferID, _ failure: TransferFailure) {
        schedule.remove(id)
        handle(.notOpened, of: id)
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
        file.close()
        loop.startTask { await deleteIfStray(id) }
        return .failure(Self.isFetched(target.path, by: other))
    }

    /// A partial file may have been made just after its transfer was cancelled: nobody else would delete it.
    private func deleteIfStray(_ id: TransferID) async {
        await load([id])
        guard let transfer = live[id]?.transfer else { return }
        let isOfNoUse = transfer.partial?.validator == nil || transfer.spec.sessionTask != nil
        if !transfer.spec.isUpload, transfer.isFinished, isOfNoUse, live[id]?.keepsPartialFile != true {
            leftovers.delete(places.partialPath(of: transfer))
        }
        release(id)
    }

    var policy: RetryPolicy {
        RetryPolicy(baseDelay: settings.retryBaseDelay, maximumDelay: settings.retryMaximumDelay)
    }

    /// Hands an attempt's result to its transfer.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - result: how the attempt ended.
    ///   - reached: the byte of the file that it got to.
    ///   - madeAt: where an upload's file is, if not where it was asked to be.
    func conclude(_ id: TransferID, _ result: AttemptResult, reached: Int64, madeAt: String?) {
        defer { if limits.rateLimit != nil { shareBandwidth() } }
        guard let transfer = live[id]?.transfer, let number = live[id]?.run?.attempt.number else { return }
        let result = result.withoutSecrets(of: transfer.spec)
        schedule.remove(id)
        returnBuffers(id)
        if case .failed(let failure) = result, failure.retryClass == .connection,
            environment.networkProblem(transfer.spec.url.host) != nil
        {
            settle(id) { $0.networkLost(reached: reached, now: $1) }
            return handle(.dismiss, of: id)
        }
        settle(id) {
            $0.attemptEnded(
                attempt: number,
                result,
                reached: reached,
                madeAt: madeAt,
                now: $1,
                policy: policy,
                jitter: environment.jitter()
            )
        }
        // The file of an answered download stays open for the save.
        if case .saving? = live[id]?.transfer.state { return handle(.save, of: id) }
        handle(.dismiss, of: id)
        survived(id)
    }

    /// Decides what an attempt's end means. Until the store has it, it counts as being settled.
    private func settle(_ id: TransferID, _ decide: (inout Transfer, Moment) -> [TransferAction]?) {
        if step(id, decide) != nil { settling.insert(id) }
    }

    private func returnBuffers(_ id: TransferID) {
        if live[id]?.run?.usesLargeBuffers == true {
            live[id]?.run?.usesLargeBuffers = false
            largeBuffers.giveBack()
        }
    }

    func closeFile(of id: TransferID) {
        returnBuffers(id)
        live[id]?.run?.hashing?.job.stop()
        live[id]?.run?.hashing = nil
        offstage_under_way(id.rawValue, 0)
        guard let file = live[id]?.run?.file else { return }
        keepDigests(of: id, file)
        live[id]?.run?.file = nil
        file.close()
        for waiter in fileWaiters.removeValue(forKey: id) ?? [] { waiter.resume() }
    }

    /// What has been hashed is for the next attempt.
    private func keepDigests(of id: TransferID, _ file: AttemptFiles.Opened) {
        guard let dialect = live[id]?.run?.attempt.dialect as? any HashingDialect,
            live[id]?.transfer.isFinished == false
        else { return }
        digestCache.keep(dialect.digests, of: id, file: file.identity)
    }

    /// An attempt that was broken off has come to its end.
    func goOn(_ id: TransferID) {
        guard let transfer = live[id]?.transfer else { return }
        switch transfer.state {
        case .queued: perform([.enqueue], for: transfer)
        case .finished(.cancelled, _), .finished(.cancelledByQuit, _):
            if !transfer.spec.isUpload, live[id]?.keepsPartialFile != true {
                leftovers.delete(places.partialPath(of: transfer))
            }
        case .waiting, .running, .saving, .paused, .finished: break
        }
        release(id)
    }

    /// Bytes that stay across when the attempt under way is broken off: of a dialect what its server has acknowledged.
    func kept(of transfer: Transfer) -> Int64 { live[transfer.id]?.run?.attempt.kept ?? transfer.bytesDone }
}
