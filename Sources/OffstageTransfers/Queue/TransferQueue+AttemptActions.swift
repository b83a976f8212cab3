// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageFiles
import OffstageRuntime

/// Hands events to attempts, and does what they ask for.
extension TransferQueue {
    /// - Parameters:
    ///   - event: what has happened.
    ///   - id: the transfer whose attempt it happened to.
    ///   - number: which attempt that was; nil for the one that there is.
    func handle(_ event: AttemptEvent, of id: TransferID, attempt number: Int? = nil) {
        for action in decided(event, id, number) { carryOut(action, id) }
    }

    /// Tells an attempt that its transfer goes on without it.
    ///
    /// What lets go of the transfer is done a turn later: it must not happen before the decision counts as being committed.
    func breakOff(_ id: TransferID) {
        let actions = decided(.breakOff, id, nil)
        let end = actions.firstIndex(of: .closeFile) ?? actions.endIndex
        for action in actions[..<end] { carryOut(action, id) }
        guard end < actions.endIndex else { return }
        loop.startTask { for action in actions[end...] { carryOut(action, id) } }
    }

    private func decided(_ event: AttemptEvent, _ id: TransferID, _ number: Int?) -> [AttemptAction] {
        guard let current = live[id]?.run?.attempt.number, number ?? current == current else { return [] }
        return live[id]?.run?.attempt.handle(event, now: environment.now()) ?? []
    }

    private func carryOut(_ action: AttemptAction, _ id: TransferID) {
        switch action {
        case .begin(let offset): begin(id, offset: offset)
        case .fetch(let lane, let offset): fetch(id, lane, offset)
        case .send(let request, let offset): send(request, id, offset)
        case .stop(let lane):
            if let run = live[id]?.run { engine?.stop(RequestKey(id, attempt: run.attempt.number, lane: lane)) }
        case .remember(let memory): live[id]?.transfer.remembered(memory)
        case .acknowledge(let bytes): live[id]?.transfer.acknowledged(bytes)
        case .commit: commit(id)
        case .hash(let span, let workers): hash(span, id, workers)
        case .stopHashing(let span):
            guard let hashing = live[id]?.run?.hashing, hashing.span == span else { return }
            hashing.job.stop()
            live[id]?.run?.hashing = nil
        case .authorize(let account, let rejecting): authorize(account, rejecting, id)
        case .conclude(let result, let reached, let madeAt): conclude(id, result, reached: reached, madeAt: madeAt)
        case .closeFile: closeFile(of: id)
        case .forget: live[id]?.run = nil
        case .goOn: goOn(id)
        }
    }

    private func begin(_ id: TransferID, offset: Int64) {
        guard let file = live[id]?.run?.file else { return }
        live[id]?.isRunningStored = false
        live[id]?.run?.syncAskedAt = offset
        step(id) { $0.started(now: $1, offset: offset, file: file.identity, partialTag: file.partialTag) }
        if let transfer = live[id]?.transfer { notifyChanged(transfer) }
    }

    /// The transfer counts as running.
    func begun(_ id: TransferID, number: Int) {
        guard let entry = live[id], let file = entry.run?.file else { return }
        let isSmall = entry.transfer.spec.isUpload && file.identity.size <= 1 << 20
        live[id]?.run?.usesLargeBuffers = !isSmall && largeBuffers.take()
        offstage_under_way(id.rawValue, 1)
        Doing.transfer(id, .deciding) { handle(.begun(number: number), of: id) }
    }

    // MARK: - Requests

    private func fetch(_ id: TransferID, _ lane: Int, _ offset: Int64) {
        guard let entry = live[id], let run = entry.run, let file = run.file, !isStopping else { return }
        engine?.start([
            EngineRequest(
                id: id,
                attempt: run.attempt.number,
                lane: lane,
                spec: entry.transfer.spec,
                fileDescriptor: file.fileDescriptor,
                filePath: file.path,
                offset: offset,
                partial: entry.transfer.partial,
                rateLimit: limits.rateLimit == nil ? entry.transfer.spec.rateLimit : 1,
                usesLargeBuffers: run.usesLargeBuffers
            )
        ])
        if limits.rateLimit != nil { shareBandwidth() }
    }

    private func send(_ request: DialectRequest, _ id: TransferID, _ offset: Int64) {
        guard let entry = live[id], let run = entry.run, let file = run.file, !isStopping else { return }
        let isPlain = entry.transfer.spec.dialect == nil
        // What the plain one asks for besides its file (whether that is there, or a folder) is about this very URL.
        let isAside = isPlain && request.sourceOffset == nil
        var order = EngineRequest(
            id: id,
            attempt: run.attempt.number,
            lane: request.lane,
            spec: Self.spec(of: request, entry.transfer.spec, isAside: isAside),
            fileDescriptor: file.fileDescriptor,
            filePath: file.path,
            offset: offset,
            rateLimit: limits.rateLimit == nil ? entry.transfer.spec.rateLimit : 1,
            usesLargeBuffers: run.usesLargeBuffers && request.body.count > 1 << 20,
            bodySpoolPath: isPlain ? places.bodySpoolPath(of: entry.transfer) : nil
        )
        order.body = request.body
        order.countsBody = request.sourceOffset != nil
        order.checksSourceFirst = !isPlain
        order.checksSourceAfterwards = !request.provesBody
        order.takesRedirectAsAnswer = !isPlain || isAside
        order.sendsBodyAgain = isPlain
        order.expectsGoAhead = isPlain
        engine?.start([order])
        if limits.rateLimit != nil { shareBandwidth() }
    }

    private static func spec(of request: DialectRequest, _ owners: TransferSpec, isAside: Bool) -> TransferSpec {
        var spec = owners
        spec.method = request.method
        spec.url = request.url
        spec.headers = request.headers
        if isAside { spec.idempotencyKey = nil }
        guard owners.dialect != nil else { return spec }
        // What the owner said of the request is for the dialect to say.
        spec.credentials = nil
        spec.idempotencyKey = nil
        spec.connection = nil
        spec.handlesChallengesByDefault = true
        // A token goes to this machine by way of no other: plain http would show it to a proxy.
        if spec.url.scheme == "http", spec.url.isLoopback { spec.proxy = .init() }
        return spec
    }

    private func commit(_ id: TransferID) {
        guard let number = live[id]?.run?.attempt.number else { return }
        live[id]?.isRunningStored = true
        loop.startTask {
            await persist(id)
            // What a daemon that stops leaves undone goes on in the next.
            if !self.isStopping { handle(.committed, of: id, attempt: number) }
        }
    }

    // MARK: - Digests

    private func hash(_ span: HashingSpan, _ id: TransferID, _ workerCount: Int) {
        guard !isStopping, let run = live[id]?.run, let file = run.file else { return }
        if let hashing = run.hashing, hashing.span == span.number {
            return hashing.job.run(on: workers, workers: workerCount)
        }
        let number = run.attempt.number
        // A descriptor of its own: the attempt may end, and close its own, while this one is read.
        let descriptor = fcntl(file.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else {
            let detail = "its file could not be opened once more: \(FileTrouble.text(errno))"
            return handle(.notDigested(.init(.daemonInterrupted, detail), span: span.number), of: id)
        }
        let path = file.path
        let job = HashingJob(of: descriptor, in: span.range) { [loop] result, offset in
            loop.startTask { await self.hashed(result, offset, span: span.number, id, attempt: number, path: path) }
        }
        live[id]?.run?.hashing = (span.number, job)
        job.run(on: workers, workers: workerCount)
    }

    private func hashed(
        _ result: Result<[UInt8], FileHasher.HashError>,
        _ offset: Int64,
        span: Int,
        _ id: TransferID,
        attempt: Int,
        path: String
    ) {
        guard !isStopping else { return }
        switch result {
        case .success(let digests): handle(.digested(digests, offset: offset, span: span), of: id, attempt: attempt)
        case .failure(let error):
            let name = path.redactedControls
            let failure =
                error == .endsEarly
                ? TransferFailure(.sourceChanged, "\(name) became shorter while it was being sent")
                : TransferFailure(.sourceUnreadable, "\(name) cannot be read (\(error.sentence))")
            handle(.notDigested(failure, span: span), of: id, attempt: attempt)
        }
    }

    // MARK: - Accounts

    private func authorize(_ account: String, _ rejecting: String?, _ id: TransferID) {
        guard let attempt = live[id]?.run?.attempt, let dialect = attempt.dialect else { return }
        let (places, owner) = (dialect.tokenPlaces, dialect.tokenOwner)
        loop.startTask {
            let result = await environment.token(account, rejecting, places, owner)
            // What a daemon that stops leaves undone is no failure, and goes on in the next.
            guard !self.isStopping else { return }
            switch result {
            case .success(let token): handle(.authorized(token), of: id, attempt: attempt.number)
            case .failure(let failure): handle(.notAuthorized(failure), of: id, attempt: attempt.number)
            }
        }
    }
}
