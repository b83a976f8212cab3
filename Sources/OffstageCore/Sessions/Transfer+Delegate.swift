// SPDX-License-Identifier: Apache-2.0

/// Decisions that only the app that owns a session's task can make, and their effects on the task.
///
/// The overall timeout continues while the task waits for its app, and the next daemon asks again. A paused transfer's
/// question is asked again once it continues: a challenge by the server, other questions by the rules.
extension Transfer {
    /// The transfer's begin date has come, or a person does not want to wait for it.
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

    /// The app has decided. Returns nil if there was no such question.
    package mutating func delegateAnswered(_ answer: DelegateAnswer, now: Moment) -> [TransferAction]? {
        guard case .waiting(let wait) = state, case .delegate(let question) = wait.cause else { return nil }
        if case .cancel = answer { return cancel(now: now) }
        guard spec.apply(answer, to: question) else { return nil }
        if case .credential = answer { past.challengesAnswered += 1 }
        // The data that a server keeps belongs to its original request.
        if case .useNewRequest = answer { dialectMemory = nil }
        return goOn(now: now)
    }
}

extension TransferSpec {
    /// Applies the app's decision; false if it does not answer the question.
    fileprivate mutating func apply(_ answer: DelegateAnswer, to question: DelegateQuestion) -> Bool {
        switch (question, answer) {
        case (.challenge(let challenge), .credential(let user, let password)):
            let isForDigest = challenge.method == .httpDigest
            credentials = .init(user: user, password: password, isForDigest: isForDigest ? true : nil)
        case (.challenge, .trustKey(let key)):
            // An invalid text would leave the transfer waiting; as a key that no server has, it ends the transfer.
            pinnedKey = key
        case (.challenge, .performDefaultHandling):
            handlesChallengesByDefault = true
        case (.willBeginDelayedRequest, .continueLoading):
            asksBeforeBegin = nil
        case (.willBeginDelayedRequest, .useNewRequest(let url, let method, let headers)):
            asksBeforeBegin = nil
            applyNewRequest(url: url, method: method, headers: headers)
        case (_, .cancel), (.challenge, .continueLoading), (.challenge, .useNewRequest),
            (.willBeginDelayedRequest, .credential), (.willBeginDelayedRequest, .trustKey),
            (.willBeginDelayedRequest, .performDefaultHandling):
            return false
        }
        return true
    }

    /// Applies the app's changes of the request before it begins. A form remains readable, and is posted if the request
    /// has the default method. A dialect decides its own requests and their URLs.
    mutating func applyNewRequest(url: RequestURL, method: String, headers: [HeaderField]) {
        guard dialect == nil else { return }
        self.url = url
        if case .form = direction, method == "GET" { self.method = "POST" } else { self.method = method }
        self.headers = headers
        setContentTypeOfForm()
    }
}

/// The part of a session's task that is kept.
extension Transfer {
    /// The partial file now has a second name.
    ///
    /// - Parameters:
    ///   - token: its name in `OffstagePaths.resumable`.
    ///   - bytes: its length, all of it on disk.
    package mutating func keptForResuming(as token: String, bytes: Int64) {
        guard var partial, case let bytes = partial.kept(of: bytes), bytes > 0 else { return }
        partial.syncedBytes = bytes
        resumeData = .download(ResumeData(token: token, partial: partial, of: spec, bytes: bytes))
    }
}
