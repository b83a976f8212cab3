// SPDX-License-Identifier: Apache-2.0

/// Downloads from several addresses: another one takes over if the one in use fails.
extension Transfer {
    /// Continues at another address, or ends because none is left.
    ///
    /// - Parameters:
    ///   - change: the consequence of the failure.
    ///   - answer: the answer, if that is the failure.
    ///   - now: the time.
    /// - Returns: the actions to carry out.
    mutating func follow(_ change: AddressChange, _ answer: Answer?, now: Moment) -> [TransferAction] {
        spec.mirrors = change.mirrors
        switch change.next {
        case .end(let failure): return finish(.failed(failure, answer), now: now)
        case .takeOver(let kept, let wait, let cause):
            goToAddress(keeping: kept)
            if wait > 0 { return waitToRetry(after: cause, seconds: wait, now: now) }
            state = .queued(since: now.wall)
            return [.enqueue]
        }
    }

    /// Handles a transfer whose turn has come, but whose address in use cannot be reached from this machine, while
    /// another can. This counts as a failure there, as if that address had been tried.
    ///
    /// - Parameters:
    ///   - problem: why the address cannot be reached.
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
        let change = AddressChange(
            of: self,
            after: failure,
            reached: bytesDone,
            isFinal: false,
            now: now,
            canReach: canReach,
            backoff: backoff
        )
        if let change { return follow(change, nil, now: now) }
        return waitToRetry(after: failure, seconds: RetryPolicy.wait(backoff(fruitless), after: failure), now: now)
    }

    /// Records that the file of a running attempt gets bytes from an address other than the one in use.
    package mutating func mixed(attempt number: Int) {
        if isRunning(number) { partial?.mix() }
    }

    /// Records that an address that delivered alongside the one in use gets no further requests in a running attempt.
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

    /// Handles a complete download whose bytes are not those of the requested file.
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
            let change = AddressChange(
                of: self,
                after: failure,
                reached: 0,
                isFinal: true,
                now: now,
                backoff: { _ in 0 }
            )
            guard let change else { return nil }
            return follow(change, answer, now: now)
        }
        // It is unknown which address sent the wrong bytes: from now on, one address at a time sends the whole file.
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

    /// Switches to the address that is now in use, and forgets the previous server's answers.
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
