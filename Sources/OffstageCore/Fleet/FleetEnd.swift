// SPDX-License-Identifier: Apache-2.0

/// How a row ended at a member, as reported to the fleet.
package struct FleetEnd: Sendable, Hashable {
    /// The numbers are those of the database's column.
    package enum Result: Int16, Sendable, CaseIterable {
        case done = 0
        case failed = 1
        case cancelled = 2
        /// It is unknown whether the file has arrived, and it must not be sent again unasked.
        case unknown = 3
    }

    package var result: Result
    /// The server's status; nil if it did not answer.
    package var status: Int16?
    /// Bytes sent over the network.
    @Within<ByteCounts> package var bytesSent: Int64
    /// For people, without secrets.
    package var detail: String?
    /// Whether another machine may succeed, or this one later. The row has then not ended, and is returned.
    package var isOfMachine: Bool

    package init(
        _ result: Result,
        status: Int16? = nil,
        bytesSent: Int64 = 0,
        detail: String? = nil,
        isOfMachine: Bool = false
    ) {
        self.result = result
        self.status = status
        self.bytesSent = bytesSent
        self.detail = detail
        self.isOfMachine = isOfMachine
    }

    /// The end of the transfer that carried the row out.
    ///
    /// - Parameters:
    ///   - outcome: how the transfer ended.
    ///   - bytesSent: bytes sent over the network.
    package init(_ outcome: TransferOutcome, bytesSent: Int64) {
        let status = outcome.status.flatMap { StatusCodes.range.contains($0) ? Int16(exactly: $0) : nil }
        switch outcome {
        case .completed: self.init(.done, status: status, bytesSent: bytesSent)
        case .cancelled, .cancelledByQuit, .released: self.init(.cancelled, status: status, bytesSent: bytesSent)
        case .failed(let failure, _):
            self.init(
                failure.code == .commitUncertain ? .unknown : .failed,
                status: status,
                bytesSent: bytesSent,
                detail: FleetText(failure.detail, longest: 1000).description,
                isOfMachine: failure.isOfMachine
            )
        }
    }
}

extension TransferFailure {
    /// Whether the failure concerns this machine rather than the file or its server: its disk, its route to the server,
    /// its copy of the file, or its accounts.
    package var isOfMachine: Bool {
        switch code {
        case .cannotFindHost, .cannotConnect, .connectionLost, .idleTimeout, .proxyFailed, .daemonInterrupted,
            .sourceMissing,
            .sourceUnreadable, .certificateFileUnreadable, .accountUnusable, .keyCommandFailed, .diskFull,
            .targetDirectoryMissing, .targetNotWritable, .internalError:
            true
        case .serverMisbehaves, .serverBusy, .badServerResponse, .tooManyRedirects, .redirectRefused, .httpStatus,
            .unauthorized, .secureConnectionFailed, .certificateRejected, .accessKeyRefused, .destinationConflict,
            .destinationRefused, .quotaExceeded, .contentMismatch, .commitUncertain, .sourceIsDirectory, .sourceChanged,
            .targetExists, .checksumMismatch, .overallTimeout, .requestTooLarge:
            false
        }
    }
}
