// SPDX-License-Identifier: Apache-2.0

/// The end of an attempt, and what its result means to the transfer: an end, another attempt, or a wait.
struct AttemptEnd {
    let attempt: TransferState.Attempt
    /// The byte of the file that the attempt reached.
    let reached: Int64
    /// Bytes of the file that the attempt moved over the wire; nil if that equals its progress.
    let moved: Int64?
    let now: Moment
    /// Decides when to try again.
    let policy: RetryPolicy
    /// A random number from 0 up to 1.
    let jitter: Double

    /// Decides what the transfer does next.
    ///
    /// - Parameters:
    ///   - result: how the attempt ended.
    ///   - transfer: the transfer whose attempt it is; it is running.
    /// - Returns: the actions to carry out.
    func apply(_ result: AttemptResult, to transfer: inout Transfer) -> [TransferAction] {
        switch result {
        case .answered(let answer):
            transfer.past.hasBeenAnswered = true
            return answered(answer, &transfer)
        case .mustBeginAgain(let serverIgnoresRanges):
            transfer.past.hasBeenAnswered = true
            return mustBeginAgain(serverIgnoresRanges, &transfer)
        case .challenged(let challenge):
            transfer.past.hasBeenAnswered = true
            return challenged(challenge, &transfer)
        case .withheld(let isRefused):
            return withheld(isRefused, &transfer)
        case .failed(let failure):
            return failed(failure, nil, reached: reached, &transfer)
        }
    }

    /// Decides what a finished attempt's answer means.
    private func answered(_ answer: Answer, _ transfer: inout Transfer) -> [TransferAction] {
        let isUpload = transfer.spec.isUpload
        if answer.status == 401, transfer.spec.unauthorizedPolicy == .waitForCredentials {
            let failure = TransferFailure(.unauthorized, "\(transfer.spec.url.host) answered 401 Unauthorized")
            // The body was the error's: only bytes from before it count.
            let kept = isUpload ? 0 : attempt.offset
            transfer.past.record(attempt, endedAt: now, reached: kept, moved: moved, failure: failure)
            transfer.past.lastFailure = failure
            transfer.bytesDone = kept
            transfer.state = .waiting(.init(cause: .credentials(host: transfer.spec.url.host), since: now.wall))
            return [.askForCredentials]
        }
        if transfer.spec.statusPolicy == .retryTransientAndFailOnError, answer.status >= 300 {
            let failure = TransferFailure(transfer.spec.answerer(answer.status), answered: answer)
            // The body was the error's; pieces that came before it belong to the file.
            let inPieces = transfer.partial?.pieces == nil ? attempt.offset : max(attempt.offset, reached)
            return failed(failure, answer, reached: isUpload ? 0 : inPieces, &transfer)
        }
        // A single successful attempt is not worth a history, unless it has sent something twice, or only part of the
        // file.
        let hasMovedTwice = (moved ?? 0) > reached.subtractingClamped(attempt.offset)
        if transfer.attempts > 1 || hasMovedTwice || isUpload && attempt.offset > 0 {
            transfer.past.record(attempt, endedAt: now, reached: reached, moved: moved, failure: nil)
        }
        transfer.bytesDone = reached
        if isUpload { return transfer.finish(.completed(answer), now: now) }
        transfer.applyName(of: answer)
        transfer.partial = PartialDownload(filling: transfer.partial, bootID: now.bootID)
        transfer.state = .saving(answer, since: now.wall)
        return [.save]
    }

    /// Handles a file that is not the one the attempt wanted to continue: it is fetched from its first byte, at once if
    /// this is the first time.
    private func mustBeginAgain(_ serverIgnoresRanges: Bool, _ transfer: inout Transfer) -> [TransferAction] {
        let wasAdopted = transfer.partial?.isAdopted == true
        transfer.partial = PartialDownload(
            bootID: now.bootID,
            beginningAgain: transfer.partial,
            serverIgnoresRanges: serverIgnoresRanges
        )
        let delay = transfer.past.restart(of: transfer.spec, policy, jitter: jitter)
        let failure = TransferFailure(
            .serverMisbehaves,
            wasAdopted
                ? "the server cannot continue what another one sent, so it starts from the beginning"
                : serverIgnoresRanges
                    ? "the server cannot send the rest of a file, so it starts from the beginning"
                    : delay == nil
                        ? "the file at the server has changed, so it starts from the beginning"
                        : "the file at the server changes with each attempt, so it starts from the beginning each time"
        )
        transfer.past.record(attempt, endedAt: now, reached: attempt.offset, failure: failure)
        transfer.bytesDone = 0
        guard let delay else {
            transfer.state = .queued(since: now.wall)
            return [.enqueue]
        }
        transfer.past.lastFailure = failure
        return transfer.waitToRetry(after: failure, seconds: delay, now: now)
    }

    /// Handles a keeper that has not kept the state on which the next request depends. That says nothing about the
    /// server or the file.
    private func withheld(_ isRefused: Bool, _ transfer: inout Transfer) -> [TransferAction] {
        // An attempt that has sent nothing is not worth a history.
        if reached != attempt.offset || moved ?? 0 > 0 {
            transfer.past.record(attempt, endedAt: now, reached: reached, moved: moved, failure: nil)
        }
        transfer.bytesDone = transfer.goesOnInTheMiddle ? reached : 0
        return KeeperStep.withheld(isRefused: isRefused).apply(to: &transfer, now: now) ?? []
    }

    /// Handles a challenge from the server, which only the app can answer.
    private func challenged(_ challenge: Challenge, _ transfer: inout Transfer) -> [TransferAction] {
        var challenge = challenge
        challenge.previousFailures = transfer.past.challengesAnswered
        // No part of the body belongs to the file, so its progress is unchanged.
        let kept = transfer.spec.isUpload ? 0 : attempt.offset
        transfer.past.record(attempt, endedAt: now, reached: kept, failure: nil)
        transfer.bytesDone = kept
        transfer.state = .waiting(.init(cause: .delegate(.challenge(challenge)), since: now.wall))
        return [.askDelegate(.challenge(challenge))]
    }

    /// Decides what a failure means: another attempt, now or later, here or at another address, or the end.
    ///
    /// - Parameters:
    ///   - failure: why the attempt failed.
    ///   - answer: the answer, if that is the failure.
    ///   - reached: the byte of the file that counts as reached.
    ///   - transfer: the transfer.
    /// - Returns: the actions to carry out.
    private func failed(
        _ failure: TransferFailure,
        _ answer: Answer?,
        reached: Int64,
        _ transfer: inout Transfer
    ) -> [TransferAction] {
        transfer.past.record(attempt, endedAt: now, reached: reached, moved: moved, failure: failure)
        let kept = transfer.partial?.kept(of: reached) ?? reached
        transfer.past.failed(failure, reached: kept)
        // A plain upload restarts at byte 0 unless its server keeps the beginning, as the history then shows.
        transfer.bytesDone = transfer.goesOnInTheMiddle ? kept : 0
        if failure.code == .accountUnusable, transfer.spec.unauthorizedPolicy == .waitForCredentials {
            transfer.state = .waiting(.init(cause: .account(failure), since: now.wall))
            return [.wake(Deadline(setAt: now, delay: Transfer.accountLook))]
        }
        let delay = transfer.past.retry(after: failure, of: transfer.spec, policy, jitter: jitter)
        let fixedDelay = transfer.spec.connection?.retryDelay
        let change = AddressChange(
            of: transfer,
            after: failure,
            reached: transfer.bytesDone,
            isFinal: delay == nil,
            now: now,
            backoff: { fixedDelay ?? policy.backoff($0, jitter: jitter) }
        )
        if let change { return transfer.follow(change, answer, now: now) }
        guard let delay else { return transfer.finish(.failed(failure, answer), now: now) }
        return transfer.waitToRetry(after: failure, seconds: delay, now: now)
    }
}
