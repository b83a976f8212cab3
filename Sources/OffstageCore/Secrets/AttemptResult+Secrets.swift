// SPDX-License-Identifier: Apache-2.0

extension AttemptResult {
    /// The result as it may be kept: what a server or a library said in a failure may repeat what was sent, and the
    /// failure's sentence stands in lists, logs and the history.
    package func withoutSecrets(of spec: TransferSpec) -> AttemptResult {
        guard case .failed(let failure) = self else { return self }
        return .failed(failure.withoutSecrets(of: spec.secretRedactor))
    }
}

extension TransferFailure {
    /// The failure without secrets in its sentence.
    package func withoutSecrets(of redactor: SecretRedactor) -> TransferFailure {
        guard !redactor.isEmpty, !code.isAboutOwnFiles else { return self }
        var failure = self
        failure.detail = redactor.strike(detail, isCut: detail.utf8.count > 200, isOwn: true)
        return failure
    }
}

extension TransferFailure.Code {
    /// Whether the sentence is about a file at this end: no server has a part in it, and its path may well be in a query.
    fileprivate var isAboutOwnFiles: Bool {
        switch self {
        case .sourceMissing, .sourceUnreadable, .sourceIsDirectory, .sourceChanged, .targetExists,
            .targetDirectoryMissing,
            .targetNotWritable, .diskFull, .checksumMismatch, .certificateFileUnreadable:
            true
        case .cannotFindHost, .cannotConnect, .connectionLost, .idleTimeout, .proxyFailed, .serverMisbehaves,
            .serverBusy,
            .badServerResponse, .tooManyRedirects, .redirectRefused, .httpStatus, .unauthorized,
            .secureConnectionFailed,
            .certificateRejected, .accountUnusable, .destinationConflict, .destinationRefused, .quotaExceeded,
            .contentMismatch, .commitUncertain, .overallTimeout, .daemonInterrupted, .internalError,
            .requestTooLarge:
            false
        }
    }
}
