// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
package import OffstageProtocol

/// Why a transfer does not run, for a row that already shows its state, name and host. The cause comes first and is
/// brief, since the end of a row may be cut off.
package enum RowReason {
    package static func text(_ row: TransferRow, now: Date) -> String {
        if row.kind == .paused { return paused(row) }
        guard case .retry(let failure, _) = row.reason.cause else { return FollowLines.reason(row, now: now) }
        var text = cause(failure).redactedControls
        if let standing = row.standing { text += ", \(standing.redactedControls)" }
        guard let next = row.reason.nextLook else { return text }
        let left = next.timeIntervalSince(now)
        return text + (left > 0 ? ", next try in \(Format.duration(left))" : ", next try now")
    }

    /// The reason, and who paused a paused transfer.
    package static func summary(_ row: TransferRow) -> String {
        let isPausedByPerson = row.reason.cause == .paused && row.owner == AppIdentity.command
        return (isPausedByPerson ? "paused by you" : row.reason.summary).redactedControls
    }

    /// How to continue a paused transfer.
    package static func paused(_ row: TransferRow) -> String {
        let standing = row.standing.map { " (\($0.redactedControls))" } ?? ""
        return "\(summary(row))\(standing); 'offstage resume \(row.id)' continues it"
    }

    /// A failure without the host, which the row shows anyway.
    package static func cause(_ failure: TransferFailure) -> String {
        switch failure.code {
        case .cannotFindHost: "host not found"
        case .cannotConnect: systemText(failure) ?? "cannot connect"
        case .connectionLost: systemText(failure) ?? "connection broke"
        case .idleTimeout:
            failure.detail.hasPrefix("no connection") ? "no connection in time" : "connection fell silent"
        case .proxyFailed: systemText(failure).map { "proxy: \($0)" } ?? failure.detail
        case .serverMisbehaves, .serverBusy, .badServerResponse, .tooManyRedirects, .redirectRefused, .httpStatus,
            .unauthorized, .secureConnectionFailed, .certificateRejected, .accountUnusable, .accessKeyRefused,
            .keyCommandFailed,
            .destinationConflict,
            .destinationRefused, .quotaExceeded, .contentMismatch, .commitUncertain, .sourceMissing, .sourceUnreadable,
            .sourceIsDirectory, .sourceChanged, .targetExists, .targetDirectoryMissing, .targetNotWritable, .diskFull,
            .checksumMismatch, .certificateFileUnreadable, .overallTimeout, .daemonInterrupted, .internalError,
            .requestTooLarge:
            failure.detail
        }
    }

    /// The system's text: `connection refused` of `cannot connect to h:1: Connection refused`.
    private static func systemText(_ failure: TransferFailure) -> String? {
        var rest = failure.detail[...]
        while let colon = rest.firstRange(of: ": ") { rest = rest[colon.upperBound...] }
        guard rest.startIndex != failure.detail.startIndex, let first = rest.first else { return nil }
        return first.lowercased() + rest.dropFirst()
    }
}
