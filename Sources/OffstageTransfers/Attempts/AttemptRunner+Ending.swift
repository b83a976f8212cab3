// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// How attempts end: the transfer decides what the result means, and the file is closed.
extension AttemptRunner {
    /// Hands an attempt's result to its transfer.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - result: how the attempt ended.
    ///   - reached: the byte of the file that the attempt reached.
    ///   - madeAt: where the uploaded file is, if not at the requested place.
    func conclude(_ id: TransferID, _ result: AttemptResult, reached: Int64, madeAt: String?) {
        takeOverPieces(of: id)
        defer { if turns.limits.rateLimit != nil { shareBandwidth() } }
        guard let transfer = registry[id]?.transfer, let number = registry[id]?.run?.attempt.number else { return }
        let moved = registry[id]?.run?.attempt.moved
        let result = result.withoutSecrets(of: transfer.spec)
        turns.leave(id)
        returnBuffers(id)
        if case .failed(let failure) = result, failure.retryClass == .connection,
            environment.networkProblem(transfer.spec.url.host) != nil, turns.detour(of: transfer) == nil
        {
            settle(id) { $0.networkLost(reached: reached, moved: moved, now: $1) }
            countEnd(of: id)
            return handle(.dismiss, of: id)
        }
        settle(id) {
            $0.attemptEnded(
                attempt: number,
                result,
                reached: reached,
                moved: moved,
                madeAt: madeAt,
                now: $1,
                policy: policy,
                jitter: environment.jitter()
            )
        }
        countEnd(of: id, result)
        // The file of an answered download stays open for the save.
        if case .saving? = registry[id]?.transfer.state { return handle(.save, of: id) }
        handle(.dismiss, of: id)
        turns.survived(id)
    }

    /// Decides what an attempt's end means. The transfer counts as being settled until the store has the decision.
    private func settle(_ id: TransferID, _ decide: (inout Transfer, Moment) -> [TransferAction]?) {
        if registry.step(id, decide) != nil { turns.settle(id) }
    }

    private func returnBuffers(_ id: TransferID) {
        if registry[id]?.run?.usesLargeBuffers == true {
            registry[id]?.run?.usesLargeBuffers = false
            largeBuffers.giveBack()
        }
    }

    func closeFile(of id: TransferID) {
        returnBuffers(id)
        registry[id]?.run?.hashing?.job.stop()
        registry[id]?.run?.hashing = nil
        offstage_under_way(id.rawValue, 0)
        guard let file = registry[id]?.run?.file else { return }
        keepDigests(of: id, file)
        noteResumption(of: id)
        registry[id]?.run?.file = nil
        file.close()
        fileWaiters.resume(id)
    }

    /// Keeps the digests computed so far for the next attempt.
    private func keepDigests(of id: TransferID, _ file: AttemptFiles.Opened) {
        guard let dialect = registry[id]?.run?.attempt.dialect as? any HashingDialect,
            registry[id]?.transfer.isFinished == false
        else { return }
        digestCache.keep(dialect.digests, of: id, file: file.identity)
    }

    /// Remembers how the server has reacted to the offer to resume the upload.
    private func noteResumption(of id: TransferID) {
        guard let entry = registry[id], let offered = entry.run?.attempt.dialect as? OfferedUpload,
            let finding = offered.finding
        else { return }
        resumptions.note(finding, for: entry.transfer.spec.url, now: registry.now())
    }

    /// Drops the digests of a transfer that has ended: no later attempt needs them.
    func forgetDigests(of id: TransferID) { digestCache.forget(id) }

    /// Called when an attempt that was broken off has ended.
    func goOn(_ id: TransferID) {
        guard let transfer = registry[id]?.transfer else { return }
        switch transfer.state {
        case .queued: if !registry.isStopping { turns.lineUp(transfer) }
        case .finished(.cancelled, _), .finished(.cancelledByQuit, _):
            if !transfer.spec.isUpload, registry[id]?.keepsPartialFile != true {
                leftovers.deletePartialFile(of: transfer)
            }
        case .waiting, .running, .saving, .paused, .finished: break
        }
        registry.release(id)
    }
}
