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
        recordHeldPieces(of: id)
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
            counts.countEnd(of: id)
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
        counts.countEnd(of: id, result)
        // The file of an answered download stays open for the save.
        if case .saving? = registry[id]?.transfer.state { return handle(.save, of: id) }
        handle(.dismiss, of: id)
        turns.survived(id)
    }

    /// Decides what an attempt's end means. The transfer counts as being settled until the store has the decision.
    private func settle(_ id: TransferID, _ decide: (inout Transfer, Moment) -> [TransferAction]?) {
        if registry.step(id, decide) != nil { turns.settle(id) }
    }

    /// Saves a download whose answer is committed, and ends its attempt.
    func save(_ id: TransferID) {
        if let spec = registry[id]?.transfer.spec { stalls.begins(spec) }
        saves.save(id) { result in
            self.handle(.saved, of: id)
            self.registry.step(id) {
                switch result {
                case .success(let saved): $0.saved(nil, bytes: saved.length, digest: saved.digest, now: $1)
                case .failure(let failed) where failed.isOfSync:
                    FailedSync(failed.failure).endSaving(of: &$0, now: $1)
                case .failure(let failed): $0.saved(failed.failure, bytes: nil, now: $1)
                }
            }
        }
    }

    private func returnBuffers(_ id: TransferID) {
        if registry[id]?.run?.usesLargeBuffers == true {
            registry[id]?.run?.usesLargeBuffers = false
            largeBuffers.giveBack()
        }
    }

    func closeFile(of id: TransferID) {
        returnBuffers(id)
        if let hashing = registry[id]?.run?.hashing {
            hashing.job.stop()
            if let file = registry[id]?.run?.file { lanes.letGo(of: hashing.job, beside: file) }
            registry[id]?.run?.hashing = nil
        }
        offstage_under_way(id.rawValue, 0)
        guard let file = registry[id]?.run?.file else { return }
        dialects.keepFindings(of: id, file)
        registry[id]?.run?.file = nil
        lanes.close(file)
        fileWaiters.resume(id)
    }

    /// Called when an attempt that was broken off has ended.
    func goOn(_ id: TransferID) {
        guard let transfer = registry[id]?.transfer else { return }
        switch transfer.state {
        case .queued: if !registry.isStopping { turns.lineUp(transfer) }
        case .finished(.cancelled, _), .finished(.cancelledByQuit, _), .finished(.released, _):
            if !transfer.spec.isUpload, registry[id]?.keepsPartialFile != true {
                leftovers.deletePartialFile(of: transfer)
            }
        case .waiting, .running, .saving, .paused, .finished: break
        }
        registry.release(id)
    }
}
