// SPDX-License-Identifier: Apache-2.0

/// What only the app that owns a session's task can decide, and what becomes of the task then.
extension Transfer {
    /// The server wants something settled before it takes part.
    mutating func challenged(
        _ challenge: Challenge,
        attempt: TransferState.Attempt,
        now: Moment
    ) -> [TransferAction] {
        var challenge = challenge
        challenge.previousFailures = challengesAnswered
        let kept = spec.isUpload ? 0 : attempt.offset
        note(attempt, endedAt: now, reached: kept, failure: nil)
        bytesDone = kept
        state = .waiting(.init(cause: .delegate(.challenge(challenge)), since: now.wall))
        return [.askDelegate(.challenge(challenge))]
    }

    /// The app has decided. Returns nil when nothing was asked, or something else.
    package mutating func delegateAnswered(_ answer: DelegateAnswer, now: Moment) -> [TransferAction]? {
        guard case .waiting(let wait) = state, case .delegate(let question) = wait.cause else { return nil }
        switch (question, answer) {
        case (_, .cancel):
            return cancel(now: now)
        case (.challenge, .credential(let user, let password)):
            spec.credentials = .init(user: user, password: password)
            challengesAnswered += 1
        case (.challenge, .trustKey(let key)):
            spec.pinnedKey = key
            challengesAnswered += 1
        case (.challenge, .performDefaultHandling):
            spec.handlesChallengesByDefault = true
        case (.willBeginDelayedRequest, .continueLoading):
            break
        case (.willBeginDelayedRequest, .useNewRequest(let url, let method, let headers)):
            spec.url = url
            spec.method = method
            spec.headers = headers
        default:
            return nil
        }
        return goOn(now: now)
    }
}
