// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// A transfer that is driven by any events in any order, as a server, a person and the clock may cause them.
enum TransferMachineTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        // JSON takes more time than everything else.
        let isStored = input.byte() & 15 == 0
        guard let spec = spec(&input) else { return }
        var now = fuzzStart
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: spec, now: now)
        check(transfer, transfer.restored(now: now), before: transfer)
        while !input.isAtEnd {
            now = input.moment(after: now)
            let before = transfer
            let actions = step(&transfer, &input, now)
            check(transfer, actions, before: before)
        }
        if isStored { checkStored(transfer) }
    }

    /// The next daemon reads exactly what this one wrote.
    private static func checkStored(_ transfer: Transfer) {
        guard let json = try? JSONEncoder().encode(TransferRecord(transfer)) else {
            return promise(false, "a transfer cannot be written")
        }
        let configuration = TransferRecord.DecodingConfiguration(id: transfer.id, spec: transfer.spec)
        let again = try? ForeignJSON.storeDecoder().decode(
            TransferRecord.self,
            from: json,
            configuration: configuration
        ).transfer
        promise(again == transfer, "a transfer is another when it was written and read")
    }

    private static func check(_ transfer: Transfer, _ actions: [TransferAction], before: Transfer) {
        promise(transfer.attempts >= before.attempts, "attempts are counted down")
        promise(transfer.history.count <= PastAttempts.historyLimit, "the history grows without end")
        if let mirrors = transfer.spec.mirrors {
            promise(mirrors.addresses[mirrors.current].url == transfer.spec.url, "another address than the one in use")
            let isMixed = transfer.partial?.isMixed == true || transfer.partial?.isAdopted == true
            promise(!isMixed || transfer.spec.asksForChecksum, "bytes of two servers without a checksum")
        }
        if transfer.isFinished { promise(transfer.expiry == nil, "the timeout of what has ended runs on") }
        let delivered = actions.filter { if case .deliver = $0 { true } else { false } }.count
        promise(delivered <= 1, "an end is told twice")
        promise(
            delivered == (transfer.isFinished && !before.isFinished ? 1 : 0),
            "\(before.state) becomes \(transfer.state) with \(delivered) ends told"
        )
        for case .begin(let number) in actions {
            guard case .running(let attempt) = transfer.state, attempt.number == number else {
                return promise(false, "an attempt begins in \(transfer.state)")
            }
        }
    }

    private static func step(_ transfer: inout Transfer, _ input: inout FuzzInput, _ now: Moment) -> [TransferAction] {
        switch input.choice(18) {
        case 0: return transfer.started(now: now, offset: input.count())
        case 1:
            transfer.receiving(
                attempt: transfer.attempts,
                validator: input.bool() ? .strongETag("\"a\"") : nil,
                total: input.bool() ? input.count() : nil,
                bootID: now.bootID
            )
            return []
        case 2:
            transfer.progressed(
                attempt: transfer.attempts,
                done: input.count(),
                total: input.bool() ? input.count() : nil,
                synced: input.bool() ? input.count() : nil
            )
            return []
        case 3, 4: return ended(&transfer, &input, now)
        case 5: return transfer.saved(input.bool() ? failure(&input) : nil, bytes: input.count(), now: now)
        case 6: return transfer.woken(now: now)
        case 7: return transfer.networkLost(reached: input.count(), now: now)
        case 8: return transfer.pause(reached: input.count(), now: now) ?? []
        case 9: return transfer.resume(now: now) ?? []
        case 10: return transfer.cancel(now: now) ?? []
        case 11: return transfer.cancelProducingResumeData(now: now) ?? []
        case 12: return retried(&transfer, now)
        case 13: return transfer.setHeaders([HeaderField(name: "X-Field", value: input.text())], now: now) ?? []
        case 14: return transfer.release(now: now) ?? []
        case 15: return KeeperStep.absent.apply(to: &transfer, now: now) ?? []
        case 16: return KeeperStep.attached.apply(to: &transfer, now: now) ?? []
        default: return transfer.restored(now: now)
        }
    }

    private static func ended(_ transfer: inout Transfer, _ input: inout FuzzInput, _ now: Moment) -> [TransferAction] {
        let number = transfer.attempts - (input.byte() > 250 ? 1 : 0)
        let result: AttemptResult
        switch input.choice(5) {
        case 0:
            var answer = Answer(status: Int(input.byte()) * 4)
            if input.bool() { answer.headers = [HeaderField(name: "Retry-After", value: input.text())] }
            result = .answered(answer)
        case 1: result = .mustBeginAgain(serverIgnoresRanges: input.bool())
        case 2: result = .challenged(Challenge(method: .httpBasic, host: "h", port: 1, isSecure: input.bool()))
        case 3: result = .withheld(isRefused: input.bool())
        default: result = .failed(failure(&input))
        }
        return transfer.attemptEnded(
            attempt: number,
            result,
            reached: input.count(),
            now: now,
            policy: RetryPolicy(),
            jitter: Double(input.byte()) / 256
        )
    }

    /// Retrying is the only way out of an end.
    private static func retried(_ transfer: inout Transfer, _ now: Moment) -> [TransferAction] {
        guard let actions = transfer.retry(now: now) else { return [] }
        promise(!transfer.isFinished, "what is tried again has ended")
        return actions
    }

    private static func failure(_ input: inout FuzzInput) -> TransferFailure {
        let codes = TransferFailure.Code.allCases
        let code = codes[input.choice(codes.count)]
        return TransferFailure(code, "it failed", retryAfter: input.bool() ? input.number() : nil)
    }

    private static func spec(_ input: inout FuzzInput) -> TransferSpec? {
        let code = input.byte()
        let identity = FileIdentity(device: 1, inode: 2, size: input.count(), modified: 4)
        let direction: TransferSpec.Direction =
            code & 1 == 0 ? .download(.init(path: "/tmp/a")) : .upload(.init(path: "/tmp/a", identity: identity))
        guard let url = try? RequestURL("https://files.example.org/a") else { return nil }
        var spec = TransferSpec(direction: direction, url: url, owner: "app")
        if code & 2 == 2 { spec.sessionTask = SessionTaskKey(session: "s", task: 1) }
        if code & 4 == 4 { spec.statusPolicy = .retryTransientAndFailOnError }
        if code & 8 == 8 { spec.unauthorizedPolicy = .waitForCredentials }
        if code & 16 == 16 { spec.earliestBegin = fuzzStart.wall.addingTimeInterval(input.number()) }
        if code & 32 == 32 { spec.asksBeforeBegin = true }
        if code & 64 == 64 { spec.overallTimeout = input.number() }
        if code & 128 == 128 { spec.maximumRetries = Int(input.byte()) }
        if code & 7 == 5 { spec.keeper = TransferKeeper(fleet: "f", row: 1, fence: 1) }
        if code & 31 == 4 { giveMirrors(&spec, withChecksum: code & 32 == 32) }
        return (try? spec.validate()) == nil ? nil : spec
    }

    /// Gives a download two more addresses, and perhaps a checksum, with which bytes from several are combined.
    private static func giveMirrors(_ spec: inout TransferSpec, withChecksum: Bool) {
        let others = ["https://b.example.org/a", "https://c.example.org/a"].compactMap { try? RequestURL($0) }
        spec.mirrors = MirrorList([spec.url] + others)
        guard withChecksum, case .download(var target) = spec.direction else { return }
        target.checksum = try? Checksum(parsing: "sha256:" + String(repeating: "0", count: 64))
        spec.direction = .download(target)
    }
}

extension TransferSpec {
    fileprivate var asksForChecksum: Bool {
        if case .download(let target) = direction { target.checksum != nil } else { false }
    }
}
