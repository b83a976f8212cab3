// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles
import OffstageRuntime

/// The requests of attempts to the server, the store, the workers and the accounts.
extension AttemptRunner {
    // MARK: - Requests

    /// The attempt's means to order requests from the engine; nil if it has no open file, or the daemon is stopping.
    func orders(of id: TransferID) -> AttemptOrders? {
        guard !registry.isStopping else { return nil }
        return AttemptOrders(registry[id], isLimitShared: turns.limits.rateLimit != nil)
    }

    func fetch(_ id: TransferID, _ lane: Int, _ offset: Int64, _ request: DialectRequest?) {
        guard let orders = orders(of: id) else { return }
        engine?.start([orders.fetch(from: offset, lane, request)])
        if turns.limits.rateLimit != nil { shareBandwidth() }
    }

    func send(_ request: DialectRequest, _ id: TransferID, _ offset: Int64) {
        guard let orders = orders(of: id) else { return }
        engine?.start([orders.send(request, from: offset, places)])
        lanesChanged(of: id)
    }

    func commit(_ id: TransferID) {
        guard let number = registry[id]?.run?.attempt.number else { return }
        registry[id]?.isRunningStored = true
        registry.loop.startTask {
            await self.registry.persist(id)
            // The next daemon continues work that a stopping daemon leaves undone.
            if !self.registry.isStopping { self.keep(id, attempt: number) }
        }
    }

    /// Stores a transfer as it is, without waiting.
    func store(_ id: TransferID) {
        let number = registry[id]?.run?.attempt.number
        // Counted here, not when the task begins: an attempt that is broken off and over would release the transfer
        // before that.
        registry[id]?.pendingCommits += 1
        registry.loop.startTask {
            await self.registry.persist(id)
            self.registry[id]?.pendingCommits -= 1
            self.registry.release(id)
            guard !self.registry.isStopping, let run = self.registry[id]?.run, run.attempt.number == number else {
                return
            }
            // Another machine must be able to find it, too. If no keeper is attached, the next request will notice.
            _ = self.keepers.ask(id, isAwaited: false)
        }
    }

    /// Has the keeper keep the memory that is already in the store.
    func keep(_ id: TransferID) {
        // That a request may be sent must be on record before it is: otherwise the next daemon would send it again.
        if registry[id]?.transfer.spec.isSentOnce == true { return commit(id) }
        guard let number = registry[id]?.run?.attempt.number else { return }
        registry.loop.startTask { if !self.registry.isStopping { self.keep(id, attempt: number) } }
    }

    private func keep(_ id: TransferID, attempt number: Int) {
        guard let entry = registry[id], entry.run?.attempt.number == number else { return }
        guard entry.transfer.spec.keeper != nil else { return handle(.committed, of: id, attempt: number) }
        guard keepers.ask(id, isAwaited: true) else {
            return handle(.notKept(isRefused: false), of: id, attempt: number)
        }
    }

    // MARK: - Digests

    func hash(_ span: HashingSpan, _ id: TransferID, _ workerCount: Int) {
        guard !registry.isStopping, let run = registry[id]?.run, let file = run.file else { return }
        let workers = lanes.lane(for: file.path).workers
        if let hashing = run.hashing, hashing.span == span.number {
            return hashing.job.run(on: workers, workers: workerCount)
        }
        let number = run.attempt.number
        // A duplicate descriptor: the attempt may end and close its descriptor during this read.
        let descriptor = fcntl(file.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else {
            let detail = "its file could not be opened again: \(FileTrouble.text(errno))"
            return handle(.notDigested(.init(.daemonInterrupted, detail), span: span.number), of: id)
        }
        let path = file.path
        let job: any SourceHashing
        switch span.yield {
        case .blocks:
            job = HashingJob(of: descriptor, in: span.range) { result, offset in
                self.hashed(result, span, id, attempt: number, path: path) {
                    .digested($0, offset: offset, span: span.number)
                }
            }
        case .one(let algorithm):
            let digest = SourceDigest(algorithm, of: span.range)
            job = DigestJob(of: descriptor, digest) { result in
                self.hashed(result, span, id, attempt: number, path: path) { .hashed($0, digest, span: span.number) }
            }
        }
        registry[id]?.run?.hashing = (span.number, job)
        job.run(on: workers, workers: workerCount)
    }

    /// Called on a worker's thread.
    private nonisolated func hashed(
        _ result: Result<[UInt8], FileHasher.HashError>,
        _ span: HashingSpan,
        _ id: TransferID,
        attempt: Int,
        path: String,
        event: @escaping @Sendable ([UInt8]) -> AttemptEvent
    ) {
        registry.loop.post {
            guard !self.registry.isStopping else { return }
            switch result {
            case .success(let digests): self.handle(event(digests), of: id, attempt: attempt)
            case .failure(let error):
                let name = path.redactedControls
                let failure =
                    error == .endsEarly
                    ? TransferFailure(.sourceChanged, "\(name) became shorter while it was being sent")
                    : TransferFailure(.sourceUnreadable, "\(name) cannot be read (\(error.sentence))")
                self.handle(.notDigested(failure, span: span.number), of: id, attempt: attempt)
            }
        }
    }

    // MARK: - Accounts

    func authorize(_ source: CredentialSource, _ rejecting: String?, _ id: TransferID) {
        guard let attempt = registry[id]?.run?.attempt else { return }
        let places = attempt.dialect?.tokenPlaces ?? attempt.download?.tokenPlaces ?? []
        let owner = attempt.dialect?.tokenOwner
        registry.loop.startTask {
            let result = await self.environment.token(source, rejecting, places, owner)
            // Work that a stopping daemon leaves undone has not failed: the next daemon continues it.
            guard !self.registry.isStopping else { return }
            switch result {
            case .success(let token): self.handle(.authorized(token), of: id, attempt: attempt.number)
            case .failure(let failure): self.handle(.notAuthorized(failure), of: id, attempt: attempt.number)
            }
        }
    }
}
