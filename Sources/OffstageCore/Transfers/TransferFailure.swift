// SPDX-License-Identifier: Apache-2.0

/// The failure of an attempt, as a value: its code determines what follows, its detail is for people.
package struct TransferFailure: Error, Sendable, Hashable, Codable {
    /// The kinds of failure; each knows whether trying again can help.
    package enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        // The route to the server.
        case cannotFindHost, cannotConnect, connectionLost, idleTimeout, proxyFailed
        // The server.
        case serverMisbehaves, serverBusy, badServerResponse, tooManyRedirects, redirectRefused
        case httpStatus, unauthorized, secureConnectionFailed, certificateRejected
        /// The transfer's account cannot be used until a person acts.
        case accountUnusable
        /// The signing key cannot be read, is not accepted, or may not write there.
        case accessKeyRefused
        /// The command that prints the key, or the token, has failed.
        case keyCommandFailed
        /// The destination: something else is there, the file is not allowed there, there is no room, the content now
        /// there is not the file's, or it is unknown whether it is.
        case destinationConflict, destinationRefused, quotaExceeded, contentMismatch, commitUncertain
        // The file on this machine.
        case sourceMissing, sourceUnreadable, sourceIsDirectory, sourceChanged
        case targetExists, targetDirectoryMissing, targetNotWritable, diskFull, checksumMismatch
        case certificateFileUnreadable
        // The transfer as a whole.
        case overallTimeout, daemonInterrupted, internalError
        /// The transfer was handed over before the size of requests was limited.
        case requestTooLarge
    }

    /// How retrying treats a failure.
    package enum RetryClass: Sendable, Hashable {
        /// The route to the server was interrupted: retried until the overall timeout.
        case connection
        /// The server reported that it is busy, or a command here fails: retried like `connection`, respecting
        /// `Retry-After`.
        case busy
        /// The server answers nonsense: retried only while each attempt gets further than the one before.
        case misbehaviour
        /// A retry cannot help.
        case permanent
    }

    package var code: Code
    /// A description of what happened, without secrets: the middle of the sentence.
    package var detail: String
    /// Seconds the server asked to wait (`Retry-After`).
    package var retryAfter: Double?
    /// The status that the server answered, if that is the failure.
    package var status: Int?
    /// The transfer that is in the way of this one, if that is the failure.
    package var rival: TransferID?

    package init(
        _ code: Code,
        _ detail: String,
        retryAfter: Double? = nil,
        status: Int? = nil,
        rival: TransferID? = nil
    ) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
        self.status = status
        self.rival = rival
    }

    /// A complete response whose status is a failure.
    init(_ answerer: String, answered answer: Answer) {
        let isTransient = answer.status == 408 || answer.status == 429 || answer.status >= 500
        self.init(
            isTransient ? .serverBusy : answer.status == 401 ? .unauthorized : .httpStatus,
            "\(answerer) answered \(StatusText.of(answer.status))",
            retryAfter: ResponseHead(status: answer.status, headers: answer.headers).retryAfterSeconds,
            status: answer.status
        )
    }

    package var retryClass: RetryClass {
        switch code {
        // The proxy keeps asking for a name and a password, for https as for http.
        case .proxyFailed where status == 407: .permanent
        case .cannotFindHost, .cannotConnect, .connectionLost, .idleTimeout, .proxyFailed, .daemonInterrupted:
            .connection
        // The command may itself need the network, as the server does.
        case .serverBusy, .keyCommandFailed: .busy
        case .serverMisbehaves: .misbehaviour
        case .badServerResponse, .tooManyRedirects, .redirectRefused, .httpStatus, .unauthorized, .accountUnusable,
            .accessKeyRefused, .destinationConflict, .destinationRefused, .quotaExceeded, .contentMismatch,
            .commitUncertain,
            .secureConnectionFailed, .certificateRejected, .sourceMissing, .sourceUnreadable, .sourceIsDirectory,
            .sourceChanged, .targetExists, .targetDirectoryMissing, .targetNotWritable, .diskFull,
            .checksumMismatch, .certificateFileUnreadable, .overallTimeout, .internalError, .requestTooLarge:
            .permanent
        }
    }

    /// Whether people who follow a transfer should be told, after this many attempts, that nothing answers, since a
    /// host may be mistyped.
    package func saysUnreached(after attempts: Int) -> Bool {
        attempts >= 3 && [.cannotFindHost, .cannotConnect, .proxyFailed].contains(code)
    }

    /// Apple's `NSURLErrorDomain` code for the failure, for the library; nil if Apple treats the response as no error.
    package var urlErrorCode: Int? {
        switch code {
        case .cannotFindHost: -1003
        case .cannotConnect, .proxyFailed: -1004
        case .connectionLost, .daemonInterrupted: -1005
        case .idleTimeout, .overallTimeout: -1001
        case .serverMisbehaves, .badServerResponse: -1011
        case .tooManyRedirects: -1007
        case .redirectRefused: -1010
        case .httpStatus, .serverBusy: nil
        case .unauthorized, .accountUnusable, .accessKeyRefused, .keyCommandFailed: -1013
        case .destinationConflict, .destinationRefused: -3000
        case .quotaExceeded: -3003
        case .contentMismatch, .commitUncertain: -1011
        case .secureConnectionFailed: -1200
        case .certificateRejected, .certificateFileUnreadable: -1202
        case .sourceMissing: -1100
        case .sourceIsDirectory: -1101
        case .sourceUnreadable: -1102
        case .sourceChanged: -1021
        case .targetExists, .targetDirectoryMissing, .targetNotWritable: -3000
        case .diskFull: -3003
        case .checksumMismatch: -3007
        case .internalError: -1
        case .requestTooLarge: -1103
        }
    }

    /// What a person can do, as a sentence.
    package var advice: String {
        if let words = statusAdvice { return words }
        return switch code {
        case .cannotFindHost: "Check the host name in the URL and the DNS settings."
        case .cannotConnect: "Check that the server runs and that the port is right."
        case .connectionLost, .idleTimeout, .daemonInterrupted: "Nothing needs doing while it is tried again."
        case .proxyFailed:
            "Check the proxy: it comes from --proxy, or from http_proxy, https_proxy or all_proxy. To use another one, hand it over again."
        case .serverMisbehaves, .badServerResponse: "Ask the server's operator, or try the URL with curl -v."
        case .serverBusy:
            retryAfter == nil
                ? "Nothing needs doing while it is tried again." : "The server asked to wait; nothing needs doing."
        case .tooManyRedirects: "Use the final URL; if the server redirects in a circle, ask its operator."
        case .redirectRefused: "Only http and https are followed; use the final URL."
        case .httpStatus: "Check the URL, the method and the headers against what the server expects."
        case .unauthorized: "Give credentials with --user, or -H 'Authorization: …'."
        case .accountUnusable:
            "See 'offstage account list', sign in with 'offstage account add', then use 'offstage retry ID'."
        case .accessKeyRefused:
            "Check the key and its permissions on the bucket; 'offstage retry ID' then continues."
        case .keyCommandFailed: "Run the command by hand to see why: it is run again with each attempt."
        case .destinationConflict:
            "Move away what is there and use 'offstage retry ID', or hand the file over with another destination or mode."
        case .destinationRefused: "Hand the file over again with another destination."
        case .quotaExceeded:
            "Free some space in the account and use 'offstage retry ID'; what is stored is kept for days."
        case .contentMismatch: "The content at the destination is not the file's; 'offstage retry ID' sends it again."
        case .commitUncertain:
            "Look for the file where it should be; if it is missing, 'offstage retry ID' sends it again."
        case .secureConnectionFailed:
            "Check that the port speaks TLS; if not, write http:// instead of https://."
        case .certificateRejected: "Check the host name and the clock, or name the right authority with --cacert."
        case .certificateFileUnreadable: "Name a readable PEM file with --cacert."
        case .sourceMissing: "Put the file back and use 'offstage retry ID', or hand it over with --snapshot next time."
        case .sourceUnreadable: "Make the file readable for this user and use 'offstage retry ID'."
        case .sourceIsDirectory: "Name a file; offstage upload DIR URL/ sends the files in a directory."
        case .sourceChanged:
            "Hand the file over again once it is complete, or use --snapshot for a file that is being edited."
        case .targetExists:
            if let rival {
                "Name another file with -o, or end the other with 'offstage cancel \(rival)' and use 'offstage retry ID'."
            } else {
                "Name another file with -o, or allow replacing it with --force."
            }
        case .targetDirectoryMissing: "Create the directory and use 'offstage retry ID'."
        case .targetNotWritable: "Choose a target that this user may write to, and use 'offstage retry ID'."
        case .diskFull: "Free some space and use 'offstage retry ID'; what has arrived is kept."
        case .checksumMismatch:
            "Judging by its checksum or length, the server's file is not the one requested; it was not kept."
        case .overallTimeout:
            "'offstage retry ID' gives it the same time again; for more, hand it over again with a longer --max-time."
        case .requestTooLarge:
            "Hand it over again with fewer or shorter header fields: docs/limits.md says how much fits."
        case .internalError: "Please report this with the output of offstage doctor."
        }
    }
}
