// SPDX-License-Identifier: Apache-2.0

/// What only the app that owns a session's task can decide, and what becomes of the task then.
///
/// The overall timeout goes on while the app is waited for, and a daemon that starts anew asks again. What is asked of
/// a transfer that is paused is asked again once it goes on: a challenge by the server, the rest by the rules.
extension Transfer {
    /// The server wants something settled before it takes part.
    mutating func challenged(
        _ challenge: Challenge,
        attempt: TransferState.Attempt,
        now: Moment
    ) -> [TransferAction] {
        var challenge = challenge
        challenge.previousFailures = challengesAnswered
        // Nothing of the body belongs to the file: what is across is what was there before.
        let kept = spec.isUpload ? 0 : attempt.offset
        note(attempt, endedAt: now, reached: kept, failure: nil)
        bytesDone = kept
        state = .waiting(.init(cause: .delegate(.challenge(challenge)), since: now.wall))
        return [.askDelegate(.challenge(challenge))]
    }

    /// The date before which the transfer must not begin is here, or a person does not want to wait for it.
    mutating func beginDateCame(now: Moment) -> [TransferAction] {
        guard spec.mustAskToBegin else { return goOn(now: now) }
        let isNew = expiry == nil
        if isNew { expiry = Deadline(setAt: now, delay: spec.overallTimeout) }
        return askToBegin(now: now) + (isNew ? expiryWake : [])
    }

    mutating func askToBegin(now: Moment) -> [TransferAction] {
        state = .waiting(.init(cause: .delegate(.willBeginDelayedRequest), since: now.wall))
        return [.askDelegate(.willBeginDelayedRequest)]
    }

    /// The app has decided. Returns nil when nothing was asked, or something else.
    package mutating func delegateAnswered(_ answer: DelegateAnswer, now: Moment) -> [TransferAction]? {
        guard case .waiting(let wait) = state, case .delegate(let question) = wait.cause else { return nil }
        switch (question, answer) {
        case (_, .cancel):
            return cancel(now: now)
        case (.challenge(let challenge), .credential(let user, let password)):
            let isForDigest = challenge.method == .httpDigest
            spec.credentials = .init(user: user, password: password, isForDigest: isForDigest ? true : nil)
            challengesAnswered += 1
        case (.challenge, .trustKey(let key)):
            // Bad text would leave the transfer waiting; as a key that no server has, it ends it.
            spec.pinnedKey = key
        case (.challenge, .performDefaultHandling):
            spec.handlesChallengesByDefault = true
        case (.willBeginDelayedRequest, .continueLoading):
            spec.asksBeforeBegin = nil
        case (.willBeginDelayedRequest, .useNewRequest(let url, let method, let headers)):
            spec.asksBeforeBegin = nil
            spec.takeNewRequest(url: url, method: method, headers: headers)
        case (.challenge, .continueLoading), (.challenge, .useNewRequest), (.willBeginDelayedRequest, .credential),
            (.willBeginDelayedRequest, .trustKey), (.willBeginDelayedRequest, .performDefaultHandling):
            return nil
        }
        return goOn(now: now)
    }
}

extension TransferSpec {
    /// Takes over what the app has made of the request before it begins. A form stays one that can be read, and is
    /// posted where the request has the method that every request has until it is set. What a dialect sends, and where
    /// to, is the dialect's to say.
    mutating func takeNewRequest(url: RequestURL, method: String, headers: [HeaderField]) {
        guard dialect == nil else { return }
        self.url = url
        if case .form = direction, method == "GET" { self.method = "POST" } else { self.method = method }
        self.headers = headers
        setContentTypeOfForm()
    }
}

/// What outlives a download of a session that did not end well.
extension Transfer {
    /// Whether another download can go on with what has arrived: Apple's conditions.
    var isResumable: Bool {
        guard spec.sessionTask != nil, !spec.isUpload, spec.method == "GET", let partial else { return false }
        return partial.validator != nil && !partial.serverIgnoresRanges
    }

    /// What had arrived has a second name.
    ///
    /// - Parameters:
    ///   - token: its name in `OffstagePaths.resumable`.
    ///   - bytes: its length, all of it on the disk.
    package mutating func keptForResuming(as token: String, bytes: Int64) {
        guard var partial, bytes > 0 else { return }
        partial.syncedBytes = bytes
        resumeData = ResumeData(
            token: token,
            partial: partial,
            url: spec.url,
            method: spec.method,
            headers: spec.headers,
            bytes: bytes
        )
    }
}
