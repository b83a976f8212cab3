// SPDX-License-Identifier: Apache-2.0

/// The working phase of an attempt: carries out the dialect's next step, and handles the results of earlier steps.
extension Attempt {
    mutating func working(_ work: AttemptWork, _ event: AttemptEvent, _ now: Moment) -> [AttemptAction] {
        var work = work
        switch event {
        case .committed: return committed(work, now)
        case .notKept(let isRefused): return notKept(work, isRefused: isRefused)
        case .authorized(let token):
            guard case .token = work.asking else { return [] }
            work.asking = .answers
            if dialect == nil { return granted(work, token, now) }
            work.hasToken = true
            dialect?.authorized(token)
            return next(work, now)
        case .notAuthorized(let failure):
            guard case .token = work.asking else { return [] }
            if dialect == nil { return denied(work, failure, now) }
            let decided = dialect?.denied(failure) ?? failure
            return conclude(work, .failed(decided), reached: dialect?.acknowledged ?? 0)
        case .digested(let digests, let offset, let span): return digested(work, digests, offset, span, now)
        case .hashed(let bytes, let digest, let span): return hashed(work, bytes, digest, span, now)
        case .notDigested(let failure, let span): return notDigested(work, failure, span, now)
        case .receivedInterim(let fields, let lane):
            guard work.lanes[lane] != nil else { return [] }
            dialect?.receivedInterim(fields, lane: lane)
            let news = recordMemory(&work)
            phase = .working(work)
            return news.isEmpty ? [] : news + [.store]
        case .moved(let lane, let reached):
            work.lanes[lane]?.reached = reached
            pieces?.moved(lane, reached: reached)
            phase = .working(work)
            return []
        case .divisible(let total, let answer): return divide(work, total, answer)
        case .answeredBeside(let lane, let validator):
            return carryOut(pieces?.answeredBeside(lane, validator) ?? [], work, now)
        case .measured(let free): return measured(work, free, now)
        case .holesCommitted:
            pieces?.awaitsCommit = false
            return carryOut(pieces?.fill() ?? [], work, now)
        case .unsynced(let failure):
            guard dialect == nil else { return [] }
            return conclude(work, .failed(failure), reached: position ?? work.reached)
        case .ended(let lane, let result, let reached):
            guard let request = work.lanes.removeValue(forKey: lane) else { return [] }
            if dialect == nil { return fetched(work, lane, result, reached: reached, now) }
            return ended(work, lane, request, result, reached: reached, now)
        case .released(let lane):
            // The engine releases only requests that it was asked to release.
            guard work.lanes.removeValue(forKey: lane) != nil else { return [] }
            let failure = TransferFailure(.daemonInterrupted, "the attempt was interrupted")
            return conclude(work, .failed(failure), reached: work.reached)
        case .breakOff: return stop(work, .brokenOff)
        case .opened, .notOpened, .begun, .save, .dismiss, .saved: return []
        }
    }

    /// Handles events while the engine releases the requests under way, without beginning anything new.
    mutating func stopping(
        _ work: AttemptWork,
        _ ending: Ending,
        _ event: AttemptEvent,
        _ now: Moment
    ) -> [AttemptAction] {
        var work = work
        var actions: [AttemptAction] = []
        switch event {
        case .ended(let lane, let result, let reached):
            guard let request = work.lanes.removeValue(forKey: lane) else { return [] }
            pieces?.moved(lane, reached: reached)
            // Data that the server has stored is recorded, and not sent again.
            if case .answered(let answer) = result, dialect != nil {
                dialect?.sentBody(max(0, reached.subtractingClamped(request.offset)), lane: lane)
                dialect?.answered(answer, lane: lane, now: now)
                let news = recordMemory(&work)
                actions = news + [.acknowledge(kept)]
                // A result is stored together with its consequences; a pause may be in the store by now.
                if ending == .brokenOff, !news.isEmpty { actions.append(.store) }
            }
        case .released(let lane):
            guard work.lanes.removeValue(forKey: lane) != nil else { return [] }
        case .breakOff:
            phase = .stopping(work, .brokenOff)
            return []
        default: return []
        }
        guard work.lanes.isEmpty else {
            phase = .stopping(work, ending)
            return actions
        }
        return actions + finish(ending)
    }

    /// Asks the dialect for its next step and carries it out, repeatedly, until a step has to wait.
    mutating func next(_ work: AttemptWork, _ now: Moment) -> [AttemptAction] {
        guard let step = dialect?.next(now: now) else { return [] }
        var work = work
        let actions = recordMemory(&work)
        switch step {
        case .send(let request): return actions + send(request, work, now)
        case .wait:
            guard !work.lanes.isEmpty else {
                return actions + refuse(work, "the dialect waits for an answer, but has sent no request")
            }
            phase = .working(work)
            // For now, no request follows whose commit would store it.
            return actions + (work.noted == work.committed ? [] : [.store])
        case .digest(let range):
            return actions
                + awaitDigests(work, of: range, .blocks, isUnderWay: work.hashing?.covers(range.lowerBound) == true)
        case .hash(let digest):
            let isUnderWay = work.hashing?.yields(digest) == true
            return actions + awaitDigests(work, of: digest.range, .one(digest.algorithm), isUnderWay: isUnderWay)
        case .authorize(let source, let rejecting):
            work.asking = .token(source)
            phase = .working(work)
            return actions + [.authorize(source, rejecting: rejecting)]
        case .finish(let answer):
            return actions
                + conclude(work, .answered(answer), reached: work.reached, madeAt: dialect?.destination)
        case .fail(let failure):
            return actions + conclude(work, .failed(failure), reached: dialect?.acknowledged ?? 0)
        }
    }

    // MARK: - Requests

    /// Commits the state on which the request depends before its first byte is sent.
    private mutating func send(_ request: DialectRequest, _ work: AttemptWork, _ now: Moment) -> [AttemptAction] {
        var work = work
        guard let dialect, 0..<max(1, dialect.lanes) ~= request.lane, work.lanes[request.lane] == nil else {
            return refuse(work, "the dialect sends two requests in one lane")
        }
        guard mayGo(to: request.url, work) else {
            return refuse(work, "a token would have been sent somewhere other than to its account's server")
        }
        guard work.committed == work.noted else {
            work.asking = .commit(request, memory: work.noted)
            phase = .working(work)
            return [.commit]
        }
        guard !work.mustBeKept else {
            work.asking = .commit(request, memory: work.noted)
            phase = .working(work)
            return [.keep]
        }
        return start(request, work, now)
    }

    private mutating func committed(_ work: AttemptWork, _ now: Moment) -> [AttemptAction] {
        guard case .commit(let request, let memory) = work.asking, !work.isWithheld else { return [] }
        var work = work
        work.committed = memory
        work.mustBeKept = false
        work.asking = .answers
        return start(request, work, now)
    }

    /// Handles the keeper's failure to confirm the state on which the next request depends.
    private mutating func notKept(_ work: AttemptWork, isRefused: Bool) -> [AttemptAction] {
        guard hasKeeper else { return [] }
        // The row belongs to another machine: the requests under way end, too.
        guard !isRefused else { return withhold(work, isRefused: true) }
        guard case .commit = work.asking else { return [] }
        var work = work
        work.isWithheld = true
        guard work.lanes.isEmpty else {
            phase = .working(work)
            return []
        }
        return withhold(work, isRefused: false)
    }

    private mutating func withhold(_ work: AttemptWork, isRefused: Bool) -> [AttemptAction] {
        conclude(work, .withheld(isRefused: isRefused), reached: dialect?.acknowledged ?? 0)
    }

    private mutating func start(_ request: DialectRequest, _ work: AttemptWork, _ now: Moment) -> [AttemptAction] {
        var work = work
        let acknowledged = dialect?.acknowledged ?? 0
        let offset = request.sourceOffset ?? acknowledged
        work.lanes[request.lane] = .init(offset: offset, reached: offset)
        let ahead = hashAhead(&work)
        phase = .working(work)
        let actions = [.send(request, offset: offset)] + ahead
        guard work.lanes.count < dialect?.lanes ?? 1 else { return actions }
        return actions + next(work, now)
    }

    private mutating func ended(
        _ work: AttemptWork,
        _ lane: Int,
        _ request: AttemptWork.Lane,
        _ result: AttemptResult,
        reached: Int64,
        _ now: Moment
    ) -> [AttemptAction] {
        var work = work
        switch result {
        case .answered(let answer):
            dialect?.sentBody(max(0, reached.subtractingClamped(request.offset)), lane: lane)
            dialect?.answered(answer, lane: lane, now: now)
            work.reached = kept ?? reached
            // Bytes that were sent but not accepted do not count as transferred.
            let news = recordMemory(&work) + [.acknowledge(kept)]
            // If the dialect is waiting for something else, its next step is requested once that has arrived.
            guard work.asking == .answers else {
                phase = .working(work)
                return work.isWithheld && work.lanes.isEmpty ? news + withhold(work, isRefused: false) : news
            }
            return news + next(work, now)
        case .failed(let failure):
            let sent = max(0, reached - request.offset)
            let told = dialect?.broke(failure, lane: lane, sent: sent, now: now) ?? failure
            return recordMemory(&work) + conclude(work, .failed(told), reached: kept ?? reached)
        case .challenged, .mustBeginAgain, .withheld: return conclude(work, result, reached: reached)
        }
    }

    /// Whether a request may go to a URL: a dialect that has a token may send only to its `tokenPlaces`.
    private func mayGo(to url: RequestURL, _ work: AttemptWork) -> Bool {
        guard work.hasToken, let dialect else { return true }
        return dialect.tokenPlaces.contains { place in
            (try? RequestURL(place)).map { url.unredacted.hasPrefix($0.unredacted + "/") } ?? false
        }
    }

    // MARK: - Digests

    /// Has more than one worker compute the digests that the next step needs.
    private mutating func awaitDigests(
        _ work: AttemptWork,
        of range: Range<Int64>,
        _ yield: HashingSpan.Yield,
        isUnderWay: Bool
    ) -> [AttemptAction] {
        var work = work
        work.asking = .digests
        var actions: [AttemptAction] = []
        if !isUnderWay {
            actions = stopHashing(&work)
            _ = work.startHashing(range, yield, isAwaited: true)
        }
        phase = .working(work)
        return actions + (work.hashing.map { [.hash($0, workers: Self.hashingWorkers)] } ?? [])
    }

    /// The number of workers that hash bytes for which a step waits: one of the pool stays free for other work. Hashing
    /// ahead uses one.
    static let hashingWorkers = 2

    /// Hashes the bytes whose digests will be needed next, while a request is under way.
    private func hashAhead(_ work: inout AttemptWork) -> [AttemptAction] {
        if let ahead = dialect?.hashAhead {
            guard work.hashing?.yields(ahead) != true else { return [] }
            let stops = stopHashing(&work)
            return stops + [.hash(work.startHashing(ahead.range, .one(ahead.algorithm), isAwaited: false), workers: 1)]
        }
        guard let ahead = dialect?.digestsAhead, work.hashing?.covers(ahead.lowerBound) != true else { return [] }
        return stopHashing(&work) + [.hash(work.startHashing(ahead, .blocks, isAwaited: false), workers: 1)]
    }

    private func stopHashing(_ work: inout AttemptWork) -> [AttemptAction] {
        guard let span = work.hashing else { return [] }
        work.hashing = nil
        return [.stopHashing(span: span.number)]
    }

    private mutating func digested(
        _ work: AttemptWork,
        _ digests: [UInt8],
        _ offset: Int64,
        _ span: Int,
        _ now: Moment
    ) -> [AttemptAction] {
        var work = work
        // Digests of an abandoned span are still valid.
        dialect?.digested(digests, from: offset)
        let isDone = work.hashing?.number == span && work.hashing?.took(digests) == true
        let actions = isDone ? stopHashing(&work) : []
        if work.asking == .digests {
            work.asking = .answers
            return actions + next(work, now)
        }
        let ahead = work.hashing == nil ? hashAhead(&work) : []
        phase = .working(work)
        return actions + ahead
    }

    private mutating func hashed(
        _ work: AttemptWork,
        _ bytes: [UInt8],
        _ digest: SourceDigest,
        _ span: Int,
        _ now: Moment
    ) -> [AttemptAction] {
        var work = work
        // The digest of an abandoned span is still valid.
        dialect?.hashed(bytes, digest)
        let isDone = work.hashing?.number == span
        let actions = isDone ? stopHashing(&work) : []
        guard isDone, work.asking == .digests else {
            let ahead = work.hashing == nil ? hashAhead(&work) : []
            phase = .working(work)
            return actions + ahead
        }
        work.asking = .answers
        return actions + next(work, now)
    }

    private mutating func notDigested(
        _ work: AttemptWork,
        _ failure: TransferFailure,
        _ span: Int,
        _ now: Moment
    ) -> [AttemptAction] {
        guard let hashing = work.hashing, hashing.number == span else { return [] }
        var work = work
        let actions = stopHashing(&work)
        guard !hashing.isAwaited else {
            return actions + conclude(work, .failed(failure), reached: dialect?.acknowledged ?? 0)
        }
        // A span hashed ahead is hashed again when it is needed; a failure is reported then.
        guard work.asking == .digests else {
            phase = .working(work)
            return actions
        }
        work.asking = .answers
        return actions + next(work, now)
    }

    // MARK: - The end

    /// Records the dialect's memory with the transfer, if it has changed.
    private func recordMemory(_ work: inout AttemptWork) -> [AttemptAction] {
        guard let dialect, dialect.memory != work.noted else { return [] }
        work.noted = dialect.memory
        return [.remember(work.noted)]
    }

    private mutating func refuse(_ work: AttemptWork, _ detail: String) -> [AttemptAction] {
        conclude(work, .failed(.init(.internalError, detail)), reached: dialect?.acknowledged ?? 0)
    }

    mutating func conclude(
        _ work: AttemptWork,
        _ result: AttemptResult,
        reached: Int64,
        madeAt: String? = nil
    ) -> [AttemptAction] {
        stop(work, .result(result, reached: reached, madeAt: madeAt))
    }

    private mutating func stop(_ work: AttemptWork, _ ending: Ending) -> [AttemptAction] {
        var work = work
        let actions = stopHashing(&work)
        work.asking = .answers
        guard work.lanes.isEmpty else {
            phase = .stopping(work, ending)
            return actions + work.lanes.keys.sorted().map { .stop(lane: $0) }
        }
        return actions + finish(ending)
    }

    /// The byte to report as reached. Until the first response delivers a byte, a file with holes is unchanged,
    /// including the bytes that it holds beyond the request's start.
    private func untouched(_ reached: Int64) -> Int64 {
        guard let held = pieces?.held, reached == held.prefix else { return reached }
        return held.count
    }

    private mutating func finish(_ ending: Ending) -> [AttemptAction] {
        switch ending {
        case .brokenOff: return end() + [.goOn]
        case .result(let result, let reached, let madeAt):
            phase = .concluded
            // A failure keeps what the other requests have transferred.
            let isFailure =
                switch result {
                case .failed, .withheld: true
                case .answered, .challenged, .mustBeginAgain: false
                }
            return [.conclude(result, reached: isFailure ? kept ?? untouched(reached) : reached, madeAt: madeAt)]
        }
    }
}
