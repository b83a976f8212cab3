// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

extension TimelineSpan {
    /// The attempt that a decision has ended; nil if there is none.
    ///
    /// A file that could not be saved has its own span, after its attempt, which had received everything.
    package init?(endedBy after: Transfer, before: Transfer, now: Moment) {
        switch (before.state, after.state) {
        case (.running(let attempt), .running(let later)) where later.number == attempt.number: return nil
        case (.running(let attempt), _):
            // The earlier specification: a mirror may have taken over.
            var seen = TimelineAttempt(of: before, attempt, Self.outcome(of: after))
            seen.bytes = Self.bytes(of: attempt, after)
            seen.failure = Self.failure(seen.outcome, after)
            self.init(since: attempt.startedAt, until: now, .attempt(seen))
        case (.saving(_, let since), let state):
            if case .saving = state { return nil }
            let outcome = Self.outcome(of: after)
            guard outcome != .succeeded else { return nil }
            let attempt = TransferState.Attempt(number: before.attempts, startedAt: now, offset: before.bytesDone)
            var seen = TimelineAttempt(of: before, attempt, outcome)
            seen.failure = Self.failure(outcome, after)
            self.init(began: min(since, now.wall), ended: now.wall, .attempt(seen))
        default: return nil
        }
    }

    private static func outcome(of transfer: Transfer) -> TimelineOutcome {
        switch transfer.state {
        case .finished(.completed(let answer), _): answer.status >= 400 ? .failed : .succeeded
        case .saving(let answer, _): answer.status >= 400 ? .failed : .succeeded
        case .finished(.failed, _): .failed
        case .finished(.cancelled, _), .finished(.cancelledByQuit, _), .finished(.released, _): .cancelled
        case .paused: .paused
        case .queued, .waiting, .running: .broken
        }
    }

    private static func failure(_ outcome: TimelineOutcome, _ transfer: Transfer) -> TransferFailure.Code? {
        guard outcome == .broken || outcome == .failed else { return nil }
        if case .finished(.failed(let failure, _), _) = transfer.state { return failure.code }
        if case .finished = transfer.state { return .httpStatus }
        return transfer.history.last?.failure?.code ?? transfer.lastFailure?.code
    }

    /// The bytes by which an attempt advanced.
    private static func bytes(of attempt: TransferState.Attempt, _ transfer: Transfer) -> Int64 {
        // A plain upload that is interrupted begins again at byte 0, and only its history records how far it got.
        let last = transfer.history.last.flatMap { $0.number == attempt.number ? $0.toByte : nil }
        return max(0, max(transfer.bytesDone, last ?? 0).subtractingClamped(attempt.offset))
    }
}
