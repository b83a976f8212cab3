// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles
import OffstageRuntime

/// Carries out what the dialects of uploads say: one attempt is a row of requests, until one of them fails or the
/// dialect is done.
extension TransferQueue {
    /// Workers that hash what a step waits for; one of the pool's stays free for others. What is hashed ahead is left to one.
    private static let hashingWorkers = 2

    /// The dialect of an upload whose file is open: it knows from which byte the attempt goes on.
    func withDialect(
        _ id: TransferID,
        _ opened: Result<AttemptFiles.Opened, TransferFailure>
    ) -> Result<AttemptFiles.Opened, TransferFailure> {
        guard case .success(var file) = opened, let transfer = live[id]?.transfer, transfer.spec.isUpload else {
            return opened
        }
        do throws(RequestError) {
            let now = environment.now()
            var dialect = try Dialects.make(transfer.spec, memory: transfer.dialectMemory, now: now)
            if let known = digestCache.take(id, file: file.identity) { dialect.digests = known }
            live[id]?.dialect = DialectRun(dialect, committed: transfer.dialectMemory)
            file.offset = dialect.acknowledged
            return .success(file)
        } catch {
            if file.fileDescriptor >= 0 { close(file.fileDescriptor) }
            return .failure(TransferFailure(.internalError, "it cannot be sent: \(error.sentence)"))
        }
    }

    /// Asks the dialect what is next, and does it.
    func advance(_ id: TransferID, attempt: Int) {
        guard isRunning(id, attempt: attempt), !isStopping, live[id]?.isInEngine == false,
            var run = live[id]?.dialect
        else { return }
        run.attempt = attempt
        let step = run.dialect.next(now: environment.now())
        live[id]?.dialect = run
        live[id]?.transfer.dialectMemory = run.dialect.memory
        switch step {
        case .send(let request): send(request, id, attempt, mustCommit: run.dialect.memory != run.committed)
        case .digest(let range): awaitDigests(of: range, id, attempt)
        case .authorize(let account, let rejected): authorize(account, rejecting: rejected, id, attempt)
        case .finish(let answer):
            conclude(id, attempt: attempt, .answered(answer), reached: run.reached, madeAt: run.dialect.destination)
        case .fail(let failure):
            conclude(id, attempt: attempt, .failed(failure), reached: run.dialect.acknowledged)
        }
    }

    /// A request has been answered, or has not.
    func requestEnded(_ id: TransferID, attempt: Int, _ result: AttemptResult, reached: Int64) {
        guard var run = live[id]?.dialect else { return }
        let isPlain = live[id]?.transfer.spec.dialect == nil
        let now = environment.now()
        switch result {
        case .answered(let answer):
            run.dialect.answered(answer, now: now)
            run.reached = isPlain ? reached : run.dialect.acknowledged
            live[id]?.transfer.hasBeenAnswered = true
            // What was sent and not taken is not across.
            if !isPlain { live[id]?.transfer.bytesDone = run.reached }
            live[id]?.dialect = run
            advance(id, attempt: attempt)
        case .failed(let failure):
            let told = run.dialect.broke(failure, sent: max(0, reached - run.dialect.acknowledged), now: now)
            live[id]?.transfer.dialectMemory = run.dialect.memory
            let kept = isPlain ? reached : run.dialect.acknowledged
            conclude(id, attempt: attempt, .failed(told), reached: kept)
        case .challenged, .mustBeginAgain:
            conclude(id, attempt: attempt, result, reached: reached)
        }
    }

    /// The attempt is over, or about to be: nothing is hashed for it any more, and what was is for the next one.
    func dropDialect(of id: TransferID) {
        guard let run = live[id]?.dialect else { return }
        run.hashing?.stop()
        live[id]?.dialect = nil
        if let file = live[id]?.file, live[id]?.transfer.isFinished == false {
            digestCache.keep(run.dialect.digests, of: id, file: file.identity)
        }
    }

    /// Bytes that stay across when the attempt under way is broken off: of a dialect what its server has acknowledged.
    func kept(of transfer: Transfer) -> Int64 {
        guard transfer.spec.dialect != nil, let run = live[transfer.id]?.dialect else { return transfer.bytesDone }
        return run.dialect.acknowledged
    }

    // MARK: - Requests

    /// What the request depends on is committed before its first byte.
    private func send(_ request: DialectRequest, _ id: TransferID, _ attempt: Int, mustCommit: Bool) {
        guard mustCommit else { return start(request, id, attempt) }
        live[id]?.isRunningStored = true
        let memory = live[id]?.transfer.dialectMemory
        loop.startTask {
            await persist(id)
            guard self.isRunning(id, attempt: attempt), !self.isStopping else { return }
            live[id]?.dialect?.committed = memory
            start(request, id, attempt)
        }
    }

    private func start(_ request: DialectRequest, _ id: TransferID, _ attempt: Int) {
        guard let entry = live[id], let file = entry.file, let run = entry.dialect, let engine else { return }
        guard run.mayGo(to: request.url) else {
            let failure = TransferFailure(.internalError, "a token would have gone to another place than its account's")
            return conclude(id, attempt: attempt, .failed(failure), reached: run.dialect.acknowledged)
        }
        let isPlain = entry.transfer.spec.dialect == nil
        var spec = entry.transfer.spec
        spec.method = request.method
        spec.url = request.url
        spec.headers = request.headers
        if !isPlain {
            // What the owner said of the request is for the dialect to say.
            spec.credentials = nil
            spec.idempotencyKey = nil
            spec.connection = nil
            spec.handlesChallengesByDefault = true
            // A token goes to this machine by way of no other: plain http would show it to a proxy.
            if spec.url.scheme == "http", spec.url.isLoopback { spec.proxy = .init() }
        }
        // What the plain one asks for besides its file (whether that is there, or a folder) is about this very URL.
        let isAside = isPlain && request.sourceOffset == nil
        if isAside { spec.idempotencyKey = nil }
        var order = EngineRequest(
            id: id,
            attempt: attempt,
            spec: spec,
            fileDescriptor: file.fileDescriptor,
            filePath: file.path,
            offset: request.sourceOffset ?? run.dialect.acknowledged,
            rateLimit: globalRateLimit == nil ? spec.rateLimit : 1,
            usesLargeBuffers: entry.usesLargeBuffers && request.body.count > 1 << 20,
            bodySpoolPath: isPlain ? bodySpoolPath(of: entry.transfer) : nil
        )
        order.body = request.body
        order.countsBody = request.sourceOffset != nil
        order.checksSourceFirst = !isPlain
        order.checksSourceAfterwards = !request.provesBody
        order.takesRedirectAsAnswer = !isPlain || isAside
        order.sendsBodyAgain = isPlain
        order.expectsGoAhead = isPlain
        live[id]?.isInEngine = true
        engine.start([order])
        if globalRateLimit != nil { shareBandwidth() }
        digestAhead(id, attempt)
    }

    // MARK: - Digests

    /// The next step needs digests: they are seen to by more than one worker.
    private func awaitDigests(of range: Range<Int64>, _ id: TransferID, _ attempt: Int) {
        live[id]?.dialect?.awaitsDigests = true
        if live[id]?.dialect?.hashing?.covers(range.lowerBound) != true {
            digest(range, id, attempt, isAwaited: true)
        }
        live[id]?.dialect?.hashing?.run(on: workers, workers: Self.hashingWorkers)
    }

    /// Hashes what will be needed next, while a request is under way.
    private func digestAhead(_ id: TransferID, _ attempt: Int) {
        guard let run = live[id]?.dialect, let ahead = run.dialect.digestsAhead,
            run.hashing?.covers(ahead.lowerBound) != true
        else { return }
        digest(ahead, id, attempt, isAwaited: false)
        live[id]?.dialect?.hashing?.run(on: workers, workers: 1)
    }

    /// Prepares the hashing of blocks of the source in place of what is being hashed.
    private func digest(_ range: Range<Int64>, _ id: TransferID, _ attempt: Int, isAwaited: Bool) {
        live[id]?.dialect?.hashing?.stop()
        live[id]?.dialect?.hashing = nil
        guard let file = live[id]?.file, !isStopping else { return }
        // A descriptor of its own: the attempt may end, and close its own, while this one is read.
        let descriptor = fcntl(file.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else {
            // A request is under way, and the attempt goes on: what was not hashed ahead is hashed when it is needed.
            guard isAwaited else { return }
            let detail = "its file could not be opened once more: \(FileTrouble.text(errno))"
            let reached = live[id]?.dialect?.dialect.acknowledged ?? 0
            return conclude(id, attempt: attempt, .failed(.init(.daemonInterrupted, detail)), reached: reached)
        }
        live[id]?.dialect?.hashing = HashingJob(of: descriptor, in: range, isAwaited: isAwaited) {
            [loop] job, result, offset in
            loop.startTask { await self.digested(job, result, from: offset, id, attempt, path: file.path) }
        }
    }

    private func digested(
        _ job: HashingJob,
        _ result: Result<[UInt8], FileHasher.HashError>,
        from offset: Int64,
        _ id: TransferID,
        _ attempt: Int,
        path: String
    ) {
        guard isRunning(id, attempt: attempt), !isStopping, live[id]?.dialect?.attempt == attempt else { return }
        let isCurrent = live[id]?.dialect?.hashing === job
        switch result {
        case .success(let digests):
            // In place: those of a large file are not copied for each piece.
            live[id]?.dialect?.dialect.digested(digests, from: offset)
            let count = Int64(digests.count / ContentHash.digestSize) * ContentHash.blockSize
            if job.took(count), isCurrent { live[id]?.dialect?.hashing = nil }
        case .failure(let error):
            guard isCurrent else { return }
            job.stop()
            live[id]?.dialect?.hashing = nil
            // What is hashed ahead is hashed again when it is needed, and the failure told then.
            guard job.isAwaited else { break }
            let name = path.redactedControls
            let failure =
                error == .endsEarly
                ? TransferFailure(.sourceChanged, "\(name) became shorter while it was being sent")
                : TransferFailure(.sourceUnreadable, "\(name) cannot be read (\(error.sentence))")
            let reached = live[id]?.dialect?.dialect.acknowledged ?? 0
            return conclude(id, attempt: attempt, .failed(failure), reached: reached)
        }
        if live[id]?.dialect?.awaitsDigests == true {
            live[id]?.dialect?.awaitsDigests = false
            advance(id, attempt: attempt)
        } else if live[id]?.dialect?.hashing == nil, case .success = result {
            digestAhead(id, attempt)
        }
    }

    // MARK: - Accounts

    private func authorize(_ account: String, rejecting: String?, _ id: TransferID, _ attempt: Int) {
        guard let dialect = live[id]?.dialect?.dialect else { return }
        live[id]?.dialect?.awaitsTokenOf = account
        loop.startTask {
            let result = await environment.token(account, rejecting, dialect.tokenPlaces, dialect.tokenOwner)
            // What a daemon that stops leaves undone is no failure, and goes on in the next.
            guard self.isRunning(id, attempt: attempt), !self.isStopping else { return }
            live[id]?.dialect?.awaitsTokenOf = nil
            switch result {
            case .success(let token):
                live[id]?.dialect?.hasToken = true
                live[id]?.dialect?.dialect.authorized(token)
                advance(id, attempt: attempt)
            case .failure(let failure):
                let reached = live[id]?.dialect?.dialect.acknowledged ?? 0
                conclude(id, attempt: attempt, .failed(failure), reached: reached)
            }
        }
    }
}
