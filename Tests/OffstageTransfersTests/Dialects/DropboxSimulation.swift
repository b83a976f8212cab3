// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// An upload to `ModelDropbox` from the hand-over to its outcome, driven by the transfer's own rule, with every
/// possible fault: at seeded random, with a given frequency.
struct DropboxSimulation {
    /// A disturbance of one request, or of the time before it.
    enum Disturbance: CaseIterable {
        /// The connection breaks before Dropbox does anything, or after it has done everything.
        case lostBefore, lostAfter
        /// The connection breaks within the body; a session keeps the received bytes.
        case cutOff
        /// The request is taken for lost, and arrives after the next one.
        case late
        /// The daemon is killed before the request, in it, after its effect, or after its answer.
        case killBefore, killWithin, killAfter, killAnswered
        case busyBefore, busyAfter, rateLimited
        case tokenExpires, tokenEndsForGood
        case sessionLost
        /// Dropbox names a wrong offset.
        case wrongOffset
        case bodyChangedOnTheWay
        /// At a commit: nothing is stored, or all but the commit is done.
        case tooManyWrites, tooManyWritesStored
        case weekPasses
        /// The file at the destination is moved away.
        case movedAway
        /// The file is edited before the request, or while it is sent.
        case fileChanges, fileChangesWithin
    }

    var random: SeededGenerator
    var dropbox = ModelDropbox()
    var transfer: Transfer
    var now: Double = 0
    var disturbancesLeft: Int
    /// The percentage of requests that are disturbed.
    var rate: Int
    /// The memory committed in the daemon's store.
    var disk: [UInt8]?
    /// The file's digests that the daemon keeps between two attempts.
    var digests: BlockDigests?
    var fileVersion = 1
    var tokenNumber = 1
    /// Bytes of the source that were sent, and those due to disturbances.
    var sent: Int64 = 0
    var allowance: Int64 = 0
    var late: (request: DialectRequest, body: SymbolicContent)?
    var happened: [Disturbance] = []
    var requests = 0
    private let policy = RetryPolicy()

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        let sizes: [Int64] = [
            0, 1, 3 << 20, 8 << 20, (8 << 20) + 1, 12 << 20, 33_333_333, 64 << 20, 200 << 20, (1 << 30) + 7,
        ]
        let size = sizes[Int(random.next() % UInt64(sizes.count))]
        var choose = random
        let spec = try DropboxBench.spec(size: size) { parameters in
            switch choose.next() % 4 {
            case 0: parameters.mode = .overwrite
            case 1: parameters.mode = .update(revision: "00000000a0")
            default: parameters.mode = .add
            }
            parameters.connections = choose.next() % 2 == 0 ? 1 : 3
            parameters.autorename = choose.next() % 4 == 0
            parameters.strictConflict = choose.next() % 4 == 0
        }
        random = choose
        dropbox.afterCommit = random.next() % 2 == 0 ? .closed : .notFound
        if random.next() % 6 == 0 {
            dropbox.concurrency = ModelDropbox.Concurrency.allCases[Int(random.next() % 4)]
        }
        dropbox.tellsContentHash = random.next() % 5 != 0
        dropbox.mayRead = random.next() % 8 != 0
        if random.next() % 6 == 0 { dropbox.maximumBody = Int64(4 + random.next() % 40) << 20 }
        if random.next() % 6 == 0 {
            // Something else is there already.
            dropbox.files["/Films/film.mov"] = .init(
                content: SymbolicContent(version: 9, 0..<(random.next() % 2 == 0 ? size : 77)),
                revision: random.next() % 2 == 0 ? "00000000a0" : "00000000b0"
            )
        }
        dropbox.tokens = ["token-1"]
        disturbancesLeft = Int(random.next() % 13)
        rate = Int(5 + random.next() % 60)
        transfer = Transfer(id: TransferID(rawValue: 1), spec: spec, now: DropboxBench.moment(0))
    }

    var size: Int64 { transfer.bytesTotal ?? 0 }
    var moment: Moment { DropboxBench.moment(now) }

    /// Runs to the outcome.
    mutating func run() throws -> TransferOutcome? {
        for _ in 0..<500 {
            switch transfer.state {
            case .queued: try attempt()
            case .waiting(let wait):
                guard case .retry(_, let deadline) = wait.cause else { return nil }
                now += deadline.remaining(at: moment) + 0.001
                _ = transfer.woken(now: moment)
            case .finished(let outcome, _): return outcome
            case .running, .saving, .paused: return nil
            }
        }
        return nil
    }

    private mutating func attempt() throws {
        var dialect = try Dialects.make(transfer.spec, memory: transfer.dialectMemory, now: moment)
        if let digests, var hashing = dialect as? any HashingDialect {
            hashing.digests = digests
            dialect = hashing
        }
        _ = transfer.started(now: moment, offset: dialect.acknowledged)
        for _ in 0..<5000 {
            switch dialect.next(now: moment) {
            case .digest(let range):
                // The driver hashes the current content.
                dialect.digested(
                    SymbolicContent.digests(version: fileVersion, of: range),
                    from: range.lowerBound
                )
            case .hash, .wait: throw TestError("The dialect waits for nothing.")
            case .authorize(_, let rejected):
                if rejected == "token-\(tokenNumber)" {
                    tokenNumber += 1
                    dropbox.tokens.insert("token-\(tokenNumber)")
                }
                dialect.authorized(GrantedToken("token-\(tokenNumber)"))
            case .finish(let answer): return end(.answered(answer), reached: size, dialect)
            case .fail(let failure): return end(.failed(failure), reached: dialect.acknowledged, dialect)
            case .send(let request):
                requests += 1
                disk = dialect.memory
                transfer.dialectMemory = disk
                guard try send(request, &dialect) else { return }
                if let ahead = dialect.digestsAhead {
                    dialect.digested(
                        SymbolicContent.digests(version: fileVersion, of: ahead),
                        from: ahead.lowerBound
                    )
                }
            }
        }
        Issue.record("the attempt does not come to an end")
        _ = transfer.cancel(now: moment)
    }

    private mutating func end(_ result: AttemptResult, reached: Int64, _ dialect: any UploadDialect) {
        transfer.dialectMemory = dialect.memory
        disk = transfer.dialectMemory
        digests = (dialect as? any HashingDialect)?.digests
        _ = transfer.attemptEnded(
            attempt: transfer.attempts,
            result,
            reached: reached,
            now: moment,
            policy: policy,
            jitter: 0.5
        )
    }

    // MARK: - What happens to a request

    private mutating func choose(_ request: DialectRequest) -> Disturbance? {
        guard disturbancesLeft > 0, random.next() % 100 < UInt64(rate) else { return nil }
        var candidates = Disturbance.allCases
        // Some disturbances end nearly every run in the same way, so they are rare.
        if random.next() % 12 != 0 {
            candidates.removeAll { [.fileChanges, .fileChangesWithin, .tokenEndsForGood].contains($0) }
        }
        disturbancesLeft -= 1
        let chosen = candidates[Int(random.next() % UInt64(candidates.count))]
        happened.append(chosen)
        // A sequential session knows which bytes have arrived, and is queried.
        let isAsked = dropbox.sessions[request.argument["cursor"]["session_id"].string ?? ""]?.blocks == nil
        let isKnown =
            isAsked && [.lostAfter, .cutOff, .killWithin, .killAfter, .killAnswered, .busyAfter].contains(chosen)
        if !isKnown || DropboxStep(request) == .upload { allowance += request.body.sourceCount }
        if [.sessionLost, .wrongOffset, .weekPasses, .movedAway].contains(chosen) { allowance += size }
        return chosen
    }

    /// - Returns: whether the attempt continues.
    private mutating func send(_ request: DialectRequest, _ dialect: inout any UploadDialect) throws -> Bool {
        let disturbance = choose(request)
        let count = request.body.sourceCount
        now += random.next() % 3 == 0 ? 6 : 0.5
        if disturbance == .weekPasses { now += 8 * 86_400 }
        if disturbance == .fileChanges { fileVersion = 2 }
        if disturbance == .movedAway { dropbox.moveAway("/Films/film.mov") }
        if disturbance == .killBefore { return kill() }
        // The engine checks the file before sending any of it.
        if fileVersion != 1, request.body.hasFile { return breakOff(.sourceChanged, &dialect) }
        var body = SymbolicContent(request.body, version: 1)
        let arrived = late
        late = nil
        defer { if let arrived { _ = dropbox.handle(arrived.request, arrived.body, now: moment) } }
        let part = count == 0 ? 0 : Int64(random.next() % UInt64(count))
        sent += disturbance == .cutOff || disturbance == .killWithin ? part : count
        switch disturbance {
        case .lostBefore, .killBefore: return breakOff(.connectionLost, &dialect)
        case .cutOff:
            dropbox.cutOff(request, after: part)
            return breakOff(.connectionLost, &dialect)
        case .late:
            late = (request, body)
            return breakOff(.idleTimeout, &dialect)
        case .killWithin:
            dropbox.cutOff(request, after: part)
            return kill()
        case .lostAfter:
            _ = dropbox.handle(request, body, now: moment)
            return breakOff(.connectionLost, &dialect)
        case .killAfter:
            _ = dropbox.handle(request, body, now: moment)
            return kill()
        case .killAnswered:
            dialect.answered(dropbox.handle(request, body, now: moment), lane: request.lane, now: moment)
            _ = dialect.next(now: moment)
            return kill()
        case .fileChangesWithin where request.body.hasFile && count > 1:
            fileVersion = 2
            body = body.prefix(part)
            body.append(.init(version: 2, offset: part, count: count - part))
        default: break
        }
        dialect.answered(answer(request, body, disturbance), lane: request.lane, now: moment)
        return true
    }

    private mutating func answer(
        _ request: DialectRequest,
        _ body: SymbolicContent,
        _ disturbance: Disturbance?
    ) -> Answer {
        let isFinish = if case .finish = DropboxStep(request) { true } else { false }
        let id = request.argument["cursor"]["session_id"].string
        switch disturbance {
        case .busyBefore: return DropboxBench.answer(503, "", [HeaderField(name: "Retry-After", value: "9")])
        case .busyAfter:
            _ = dropbox.handle(request, body, now: moment)
            return DropboxBench.answer(500, "<html>")
        case .rateLimited: return DropboxBench.answer(429, #"{"error":{"reason":{".tag":"x"},"retry_after":5}}"#)
        case .tokenExpires: dropbox.tokens = []
        case .tokenEndsForGood: return DropboxBench.answer(401, #"{"error":{".tag":"user_suspended"}}"#)
        case .sessionLost: if let id, dropbox.sessions[id]?.isCommitted != true { dropbox.sessions[id] = nil }
        case .wrongOffset where id != nil:
            let offset = Int64(random.next() % UInt64(size + 10)) - 5
            let error = #"{".tag":"incorrect_offset","correct_offset":\#(offset)}"#
            return DropboxBench.conflict(isFinish ? #"{".tag":"lookup_failed","lookup_failed":\#(error)}"# : error)
        case .bodyChangedOnTheWay where body.count > 0:
            return dropbox.handle(request, SymbolicContent(version: 5, 0..<body.count), now: moment)
        case .tooManyWrites where isFinish: return DropboxBench.conflict(#"{".tag":"too_many_write_operations"}"#)
        case .tooManyWritesStored where isFinish:
            dropbox.cutOff(request, after: body.count)
            return DropboxBench.conflict(#"{".tag":"path","path":{".tag":"too_many_write_operations"}}"#)
        default: break
        }
        return dropbox.handle(request, body, now: moment)
    }

    private mutating func breakOff(_ code: TransferFailure.Code, _ dialect: inout any UploadDialect) -> Bool {
        let failure = dialect.broke(TransferFailure(code, "it broke"), lane: 0, sent: 0, now: moment)
        end(.failed(failure), reached: dialect.acknowledged, dialect)
        return false
    }

    /// Kills the daemon; all uncommitted state is lost.
    private mutating func kill() -> Bool {
        transfer.dialectMemory = disk
        digests = nil
        _ = transfer.restored(now: moment)
        return false
    }
}

extension RequestBody {
    /// Bytes of the source in the body.
    var sourceCount: Int64 {
        segments.reduce(0) { sum, segment in
            if case .file(let range) = segment { sum + range.count } else { sum }
        }
    }

    /// Whether the body needs the source file.
    var hasFile: Bool {
        segments.contains { if case .file = $0 { true } else { false } }
    }
}
