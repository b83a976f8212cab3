// SPDX-License-Identifier: Apache-2.0

extension Transfer {
    /// Whether it has had a failure, whose sentence may repeat a server's text.
    package var hasFailed: Bool {
        if lastFailure != nil || history.contains(where: { $0.failure != nil }) { return true }
        switch state {
        case .waiting(let wait): if case .retry = wait.cause { return true }
        case .finished(.failed, _): return true
        case .queued, .running, .saving, .paused, .finished: break
        }
        return false
    }

    /// Removes sent secrets from the sentences of all its failures. Offstage 0.1.0 kept them as they were.
    package mutating func strikeSecretsOfFailures() {
        let redactor = spec.secretRedactor
        lastFailure = lastFailure?.withoutSecrets(of: redactor)
        for index in history.indices { history[index].failure = history[index].failure?.withoutSecrets(of: redactor) }
        switch state {
        case .waiting(var wait):
            guard case .retry(let failure, let deadline) = wait.cause else { return }
            wait.cause = .retry(failure.withoutSecrets(of: redactor), deadline)
            state = .waiting(wait)
        case .finished(.failed(let failure, let answer), let end):
            state = .finished(.failed(failure.withoutSecrets(of: redactor), answer), at: end)
        case .queued, .running, .saving, .paused, .finished: return
        }
    }
}
