// SPDX-License-Identifier: Apache-2.0

extension TransferFailure {
    /// What a person can do, as a sentence.
    ///
    /// - Parameter isSessionTask: whether the transfer is an app's. A person cannot restart it, since its app has
    ///   received the end, and it has none of the command's options.
    /// - Returns: the sentence.
    package func advice(isSessionTask: Bool) -> String {
        isSessionTask ? appAdvice ?? advice : advice
    }

    /// Advice for a status that reveals more than a refusal of the request; nil for any other.
    var statusAdvice: String? {
        switch status {
        case 404: "Check the URL: the server does not know it."
        case 407:
            "The proxy requires a name and a password: hand it over again with --proxy-user NAME:PASSWORD, or with both in the proxy's URL."
        case 413: "The server does not accept anything that large: ask its operator to allow more."
        case 415: "The server does not accept this kind of content: state its type with -H 'Content-Type: …'."
        case 416: "The file at the server has no such range: hand it over again with another Range header, or without."
        case 423: "The resource at the URL is locked: 'offstage retry ID' tries it again once the lock is gone."
        case 451: "The server may not provide or accept it for legal reasons; trying again does not help."
        case 501: "The server does not know the request's method: check the URL, or name another method with -X."
        default: nil
        }
    }

    /// `statusAdvice` for an app's task.
    private var appStatusAdvice: String? {
        switch status {
        case 407: "The proxy requires a name and a password: put both into http_proxy, https_proxy or all_proxy."
        case 415: "The app has to hand it over again with another Content-Type header."
        case 416: "The app has to hand it over again with another Range header, or without."
        case 423: "The resource at the URL is locked: let the app hand it over again once the lock is gone."
        case 501: "The server does not know the request's method: the app has to use another."
        default: nil
        }
    }

    /// Advice for a failure that ended the transfer: nothing retries it automatically.
    package func finalAdvice(isSessionTask: Bool) -> String {
        switch code {
        case _ where statusAdvice != nil: advice(isSessionTask: isSessionTask)
        case .connectionLost, .idleTimeout, .daemonInterrupted, .serverBusy:
            isSessionTask ? "The app may hand it over again." : "'offstage retry ID' tries it again."
        case .proxyFailed:
            advice(isSessionTask: isSessionTask)
                + (isSessionTask
                    ? " The app may hand it over again." : " 'offstage retry ID' tries the same one again.")
        case .cannotFindHost, .cannotConnect:
            advice(isSessionTask: isSessionTask)
                + (isSessionTask ? " The app may hand it over again." : " 'offstage retry ID' tries it again.")
        default: advice(isSessionTask: isSessionTask)
        }
    }

    /// Advice for an app's task; nil if it is the same as for any transfer.
    private var appAdvice: String? {
        if let words = appStatusAdvice { return words }
        return switch code {
        case .proxyFailed:
            "Check http_proxy, https_proxy and all_proxy in the environment that handed the transfer over."
        case .unauthorized: "The app has to give credentials and hand it over again."
        case .accountUnusable:
            "See 'offstage account list', sign in with 'offstage account add', then let the app hand the file over again."
        case .accessKeyRefused:
            "Check the key and its permissions on the bucket, then let the app hand the file over again."
        case .keyCommandFailed: "Run the command by hand to see why: it is run again with each attempt."
        case .destinationConflict:
            "Move away what is there, then let the app hand the file over again, or with another destination or mode."
        case .destinationRefused: "Let the app hand the file over again with another destination."
        case .quotaExceeded: "Free some space in the account, then let the app hand the file over again."
        case .contentMismatch: "The content at the destination is not the file's: let the app hand it over again."
        case .commitUncertain:
            "Look for the file where it should be; if it is missing, let the app hand it over again."
        case .certificateRejected:
            "Check the host name and the clock; the app's delegate may accept another certificate."
        case .certificateFileUnreadable:
            "Make the PEM file readable for this user, then let the app hand it over again."
        case .sourceMissing: "Put the file back, then let the app hand it over again."
        case .sourceUnreadable: "Make the file readable for this user, then let the app hand it over again."
        case .sourceIsDirectory: "The app has to name a file: a directory is not sent."
        case .sourceChanged: "Let the app hand the file over again once it is complete, and leave it unchanged."
        case .targetExists: "Let the app ask for the file again once its place is free."
        case .targetDirectoryMissing: "Create the directory, then let the app ask for the file again."
        case .targetNotWritable: "Make the directory writable for this user, then let the app ask for the file again."
        case .diskFull: "Free some space, then let the app ask for the file again."
        case .overallTimeout: "Let the app hand it over again, or with a longer timeoutIntervalForResource."
        case .requestTooLarge: "The app has to hand it over again with fewer or shorter header fields."
        case .cannotFindHost, .cannotConnect, .connectionLost, .idleTimeout, .daemonInterrupted,
            .serverMisbehaves, .badServerResponse, .serverBusy, .tooManyRedirects, .redirectRefused, .httpStatus,
            .secureConnectionFailed, .checksumMismatch, .internalError:
            nil
        }
    }
}
