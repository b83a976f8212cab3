// SPDX-License-Identifier: Apache-2.0

/// Requests that must not be sent a second time.
extension TransferFailure {
    /// Why no further attempt of a transfer may begin: an earlier request may have arrived, and neither the server nor
    /// a key would detect the second.
    ///
    /// - Parameter transfer: a transfer whose next attempt is about to begin.
    /// - Returns: nil if the attempt may begin.
    package static func repetition(of transfer: Transfer) -> TransferFailure? {
        // A server that keeps a part is asked how much it has. Other memory of a plain upload says nothing about that.
        let isKept = transfer.spec.dialect == nil ? transfer.isKeptByServer : transfer.dialectMemory != nil
        guard transfer.spec.isSentOnce == true, !isKept,
            let unanswered = transfer.past.history.lastThatMayHaveArrived
        else { return nil }
        let end = unanswered.failure?.detail ?? "the attempt was stopped under way"
        return TransferFailure(
            .commitUncertain,
            "\(transfer.spec.url.host) may have received it, and it must not be sent twice: \(end)"
        )
    }

    /// Whether the server may have received and honoured a request although the attempt has failed.
    fileprivate var mayHaveArrived: Bool {
        switch code {
        case .cannotFindHost, .cannotConnect, .proxyFailed, .secureConnectionFailed, .certificateRejected,
            .tooManyRedirects, .redirectRefused, .httpStatus, .unauthorized, .accountUnusable, .accessKeyRefused,
            .keyCommandFailed, .destinationConflict, .destinationRefused, .quotaExceeded, .sourceMissing,
            .sourceUnreadable,
            .sourceIsDirectory, .sourceChanged, .targetExists, .targetDirectoryMissing, .targetNotWritable,
            .certificateFileUnreadable, .requestTooLarge:
            false
        // These statuses mean that the request was not honoured (RFC 9110, 15.5.9 and 15.6.4; RFC 6585, 4). Other
        // errors leave that open.
        case .serverBusy: !(status.map { [408, 429, 503].contains($0) } ?? false)
        case .connectionLost, .idleTimeout, .serverMisbehaves, .badServerResponse, .contentMismatch, .commitUncertain,
            .diskFull, .checksumMismatch, .overallTimeout, .daemonInterrupted, .internalError:
            true
        }
    }
}

extension [AttemptRecord] {
    /// The last attempt whose request may have reached the server, as far as is known; nil if none can have.
    package var lastThatMayHaveArrived: AttemptRecord? { last { $0.failure?.mayHaveArrived ?? true } }
}
