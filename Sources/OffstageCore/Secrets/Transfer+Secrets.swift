// SPDX-License-Identifier: Apache-2.0

extension Transfer {
    /// Whether it has had a failure, whose sentence may repeat a server's text.
    package var hasFailed: Bool { past.hasFailure || state.hasFailure }

    /// Removes sent secrets from the sentences of all its failures. Offstage 0.1.0 kept them unchanged.
    package mutating func strikeSecretsOfFailures() {
        let redactor = spec.secretRedactor
        past.strikeSecrets(redactor)
        state.strikeSecrets(redactor)
    }
}

extension TransferState {
    fileprivate var hasFailure: Bool {
        switch self {
        case .waiting(let wait): if case .retry = wait.cause { true } else { false }
        case .finished(.failed, _): true
        case .queued, .running, .saving, .paused, .finished: false
        }
    }

    fileprivate mutating func strikeSecrets(_ redactor: SecretRedactor) {
        switch self {
        case .waiting(var wait):
            guard case .retry(let failure, let deadline) = wait.cause else { return }
            wait.cause = .retry(failure.withoutSecrets(of: redactor), deadline)
            self = .waiting(wait)
        case .finished(.failed(let failure, let answer), let end):
            self = .finished(.failed(failure.withoutSecrets(of: redactor), answer), at: end)
        case .queued, .running, .saving, .paused, .finished: return
        }
    }
}
