// SPDX-License-Identifier: Apache-2.0

extension AttemptResult {
    /// The result in a form that may be kept. A failure's text from a server or library may repeat the request, and the
    /// failure's sentence appears in lists, logs and the history.
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
    /// Whether the sentence is about a local file: it contains nothing from a server, and its path may also be in a
    /// query.
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
            .certificateRejected, .accountUnusable, .accessKeyRefused, .keyCommandFailed, .destinationConflict,
            .destinationRefused,
            .quotaExceeded,
            .contentMismatch, .commitUncertain, .overallTimeout, .daemonInterrupted, .internalError,
            .requestTooLarge:
            false
        }
    }
}
