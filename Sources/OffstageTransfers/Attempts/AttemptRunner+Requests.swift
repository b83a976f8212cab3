// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles
import OffstageRuntime

/// What attempts request from the server, the store, the workers and the accounts.
extension AttemptRunner {
    // MARK: - Requests

    func fetch(_ id: TransferID, _ lane: Int, _ offset: Int64, _ request: DialectRequest?) {
        guard let entry = registry[id], let run = entry.run, let file = run.file, !registry.isStopping else { return }
        var order = EngineRequest(
            id: id,
            attempt: run.attempt.number,
            lane: lane,
            spec: entry.transfer.spec.of(request),
            fileDescriptor: file.fileDescriptor,
            filePath: file.path,
            offset: offset,
            partial: entry.transfer.partial,
            rateLimit: turns.limits.rateLimit == nil ? entry.transfer.spec.rateLimit : 1,
            usesLargeBuffers: run.usesLargeBuffers
        )
        (order.takesRedirectAsAnswer, order.needsMatch) = (request != nil, request != nil)
        order.heldBehind = file.held.map { max(0, $0.count.subtractingClamped(offset)) } ?? 0
        order.expectedBytes = entry.transfer.spec.expectedBytes
        order.mayDivide = run.attempt.pieces != nil
        order.isInquiry = request?.method == "HEAD"
        order.hasOwnConnection = run.attempt.pieces?.isExpected == true
        engine?.start([order])
        if turns.limits.rateLimit != nil { shareBandwidth() }
    }

    func send(_ request: DialectRequest, _ id: TransferID, _ offset: Int64) {
        guard let entry = registry[id], let run = entry.run, let file = run.file, !registry.isStopping else { return }
        // A plain upload's side requests (whether the file exists, or for a folder) are about this very URL.
        let isAside = request.isOwners && request.sourceOffset == nil
        let isOneOfMany = run.attempt.dialect?.lanes ?? 1 > 1
        let limit = entry.transfer.spec.rateLimit
        var order = EngineRequest(
            id: id,
            attempt: run.attempt.number,
            lane: request.lane,
            spec: entry.transfer.spec.of(request, isAside: isAside),
            fileDescriptor: file.fileDescriptor,
            filePath: file.path,
            offset: offset,
            // The share of one of many is set below.
            rateLimit: turns.limits.rateLimit == nil ? limit.map { isOneOfMany ? 1 : $0 } : 1,
            usesLargeBuffers: run.usesLargeBuffers && request.body.count > 1 << 20,
            bodySpoolPath: entry.transfer.spec.dialect == nil ? places.bodySpoolPath(of: entry.transfer) : nil
        )
        order.body = request.body
        order.countsBody = request.sourceOffset != nil
        order.checksSourceFirst = !request.isOwners
        order.checksSourceAfterwards = !request.provesBody
        order.takesRedirectAsAnswer = !request.isOwners || isAside
        order.sendsBodyAgain = request.isOwners
        order.expectsGoAhead = request.isOwners
        order.hearsInterim = request.hearsInterim
        // Requests over one connection of HTTP/2 would share what the server allows it.
        order.hasOwnConnection = isOneOfMany
        engine?.start([order])
        lanesChanged(of: id)
    }

    func commit(_ id: TransferID) {
        guard let number = registry[id]?.run?.attempt.number else { return }
        registry[id]?.isRunningStored = true
        registry.loop.startTask {
            await self.registry.persist(id)
            // The next daemon continues what a stopping daemon leaves undone.
            if !self.registry.isStopping { self.handle(.committed, of: id, attempt: number) }
        }
    }

    // MARK: - Digests

    func hash(_ span: HashingSpan, _ id: TransferID, _ workerCount: Int) {
        guard !registry.isStopping, let run = registry[id]?.run, let file = run.file else { return }
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
