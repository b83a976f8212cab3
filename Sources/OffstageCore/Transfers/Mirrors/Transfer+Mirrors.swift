// SPDX-License-Identifier: Apache-2.0

/// Downloads from several addresses: another one takes over if the one in use fails.
extension Transfer {
    /// Decides after a failed attempt whether another address takes over.
    ///
    /// Another address continues the received bytes only if the file's checksum is known, which decides in the end.
    /// Otherwise the download begins again.
    ///
    /// - Parameters:
    ///   - failure: how the attempt failed; it is in the history already.
    ///   - answer: the answer, if that is the failure.
    ///   - reached: the byte of the file that the attempt reached.
    ///   - isFinal: whether the address has had all its retries.
    ///   - now: the time.
    ///   - canReach: whether an address can be reached from this machine, as far as that is known without trying.
    ///   - backoff: seconds to wait; given the number of a round through the addresses, or of consecutive failures.
    /// - Returns: the actions to carry out; nil if nothing changes.
    mutating func takeOver(
        after failure: TransferFailure,
        _ answer: Answer?,
        reached: Int64,
        isFinal: Bool,
        now: Moment,
        canReach: (RequestURL) -> Bool = { _ in true },
        backoff: (Int) -> Double
    ) -> [TransferAction]? {
        guard var mirrors = spec.mirrors else { return nil }
        // If a server cannot continue another's file because it has a different one, the received bytes may still be
        // right.
        let isOwn = partial?.isAdopted != true
        let keeps = reached > 0 && !(isOwn && failure.code == .checksumMismatch) && mayBeAdopted(mirrors)
        let stated = mirrors.stated ?? partial?.totalBytes
        let verdict = mirrors.left(
            after: failure,
            isFinal: isFinal,
            fruitless: past.fruitless,
            losesBytes: reached > 0 && !keeps,
            retries: past.retries,
            now: now,
            canReach: canReach,
            backoff: backoff
        )
        switch verdict {
        case .stay: return nil
        case .nothingLeft:
            spec.mirrors = mirrors
            return finish(.failed(mirrors.failure(failure), answer), now: now)
        case .takeOver(_, let wait, let cause):
            mirrors.stated = stated
            spec.mirrors = mirrors
            goToAddress(keeping: keeps ? reached : nil)
            guard wait > 0 else {
                state = .queued(since: now.wall)
                return [.enqueue]
            }
            let deadline = Deadline(setAt: now, delay: wait)
            state = .waiting(.init(cause: .retry(cause, deadline), since: now.wall))
            return [.wake(deadline)]
        }
    }

    /// The transfer's turn has come, but the address in use cannot be reached from this machine, while another one can.
    /// This counts as a failure there, as if it had been tried.
    ///
    /// - Parameters:
    ///   - problem: why it cannot be reached.
    ///   - now: the time.
    ///   - policy: decides how long to wait.
    ///   - jitter: a random number from 0 up to 1.
    ///   - canReach: whether an address can be reached.
    /// - Returns: the actions to carry out.
    package mutating func outOfReach(
        _ problem: NetworkProblem,
        now: Moment,
        policy: RetryPolicy,
        jitter: Double,
        canReach: (RequestURL) -> Bool
    ) -> [TransferAction]? {
        guard case .queued = state, spec.mirrors != nil else { return nil }
        let failure = TransferFailure(.cannotConnect, "cannot connect to \(spec.url.hostKey): \(problem.summary)")
        past.failed(failure, reached: bytesDone)
        let (fixed, fruitless) = (spec.connection?.retryDelay, past.fruitless)
        let backoff = { (failures: Int) -> Double in fixed ?? policy.backoff(failures, jitter: jitter) }
        let other = takeOver(
            after: failure,
            nil,
            reached: bytesDone,
            isFinal: false,
            now: now,
            canReach: canReach,
            backoff: backoff
        )
        if let other { return other }
        let deadline = Deadline(setAt: now, delay: RetryPolicy.wait(backoff(fruitless), after: failure))
        state = .waiting(.init(cause: .retry(failure, deadline), since: now.wall))
        return [.wake(deadline)]
    }

    /// The addresses that may deliver pieces in the attempt that begins; nil if the one in use is the only one.
    ///
    /// This needs a checksum: only that shows in the end whether several servers have sent the same file. It also needs
    /// a transfer without needs of the machine, which may be met for one server and not for another.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - own: how many requests the address in use may have under way.
    ///   - free: how many requests another address may have.
    /// - Returns: the addresses, the one in use first.
    package func pieceSources(now: Moment, own: Int, free: (RequestURL) -> Int) -> PieceSources? {
        guard let mirrors = spec.mirrors, !mirrors.keepsApart, spec.wantedChecksum != nil, spec.needs.isEmpty else {
            return nil
        }
        let others = mirrors.ready(now: now).map { (address: $0, most: free(mirrors.addresses[$0].url)) }
            .filter { $0.most > 0 }
        return others.isEmpty ? nil : PieceSources(own: mirrors.current, most: own, others: others)
    }

    /// The file of a running attempt gets bytes from an address other than the one in use.
    package mutating func mixed(attempt number: Int) {
        if isRunning(number) { partial?.mix() }
    }

    /// An address that delivered beside the one in use gets no further requests in a running attempt.
    package mutating func leftBeside(
        _ address: Int,
        after failure: TransferFailure,
        attempt number: Int,
        now: Moment
    ) -> [TransferAction]? {
        guard isRunning(number), spec.mirrors != nil else { return nil }
        spec.mirrors?.leftBeside(address, after: failure, now: now)
        return []
    }

    /// The bytes have arrived, but they are not those of the requested file.
    ///
    /// - Returns: the actions to carry out; nil if the transfer has failed.
    mutating func gotAnotherFile(
        _ failure: TransferFailure,
        _ answer: Answer,
        now: Moment
    ) -> [TransferAction]? {
        guard failure.code == .checksumMismatch, spec.mirrors != nil else { return nil }
        guard partial?.isMixed == true else {
            past.lastFailure = failure
            return takeOver(after: failure, answer, reached: 0, isFinal: true, now: now, backoff: { _ in 0 })
        }
        // It is unknown which address has sent wrong bytes: from now on, one address at a time sends the whole file.
        spec.mirrors?.keepsApart = true
        past.lastFailure = failure
        past.forgetServer()
        forgetBytes()
        state = .queued(since: now.wall)
        return [.enqueue]
    }

    /// Begins with the first address again, or continues with the one in use if it has sent the kept bytes.
    mutating func startOverMirrors(keepingBytes: Bool) {
        guard spec.mirrors != nil else { return }
        // Bytes from other addresses are no reason to stay with the one in use.
        let isOwn = keepingBytes && partial?.isAdopted != true
        spec.mirrors?.startOver(staying: isOwn)
        if !isOwn { goToAddress(keeping: keepingBytes ? bytesDone : nil) }
    }

    /// Whether another address may continue the received bytes. A server with a different file is detected at once by
    /// the file's length, and in the end by its checksum.
    private func mayBeAdopted(_ mirrors: MirrorList) -> Bool {
        guard !mirrors.keepsApart, spec.wantedChecksum != nil, let partial else { return false }
        return partial.isContinuable && partial.totalBytes != nil
    }

    /// Switches to the address that is now in use, and forgets what the previous server has said.
    private mutating func goToAddress(keeping bytes: Int64?) {
        guard let mirrors = spec.mirrors, mirrors.addresses.indices.contains(mirrors.current) else { return }
        let address = mirrors.addresses[mirrors.current]
        spec.url = address.url
        past.forgetServer()
        past.retries = address.retries
        if let bytes {
            partial?.adopt()
            bytesDone = bytes
        } else {
            forgetBytes()
        }
    }

    private mutating func forgetBytes() {
        partial = nil
        bytesDone = 0
        bytesTotal = nil
    }
}
