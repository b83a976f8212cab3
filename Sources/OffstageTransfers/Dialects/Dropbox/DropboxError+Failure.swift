// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What each error means for a transfer and for its user.
extension DropboxError {
    /// The failure of an attempt that ends with this error, with the destination and account as the user knows them.
    package func failure(destination: String, account: String) -> TransferFailure {
        let (code, detail) = meaning(destination, account)
        let waits = code == .serverBusy
        return TransferFailure(code, detail + trail, retryAfter: waits ? retryAfter : nil)
    }

    private func meaning(_ destination: String, _ account: String) -> (TransferFailure.Code, String) {
        switch kind {
        case .malformed(let text): (.httpStatus, "Dropbox could not read the request for \(destination): \(text)")
        case .authentication(let error): Self.meaning(of: error, account)
        case .forbidden: (.accountUnusable, "Dropbox does not let the account '\(account)' upload to \(destination)")
        case .pathRoot:
            (.httpStatus, "Dropbox does not accept the Dropbox-API-Path-Root header of the upload to \(destination)")
        case .rateLimited: (.serverBusy, "Dropbox has received too many requests from the account '\(account)'")
        case .session(let error): Self.meaning(of: error, destination)
        case .path(let error, _): Self.meaning(of: error, destination)
        case .payloadTooLarge:
            (
                .badServerResponse,
                "Dropbox, or something in front of it, accepts no chunk of \(destination), however short"
            )
        case .contentHashMismatch:
            (.serverMisbehaves, "Dropbox says that what arrived for \(destination) is not what was sent")
        case .tooManyWriteOperations:
            (.serverBusy, "Dropbox is writing too much elsewhere in the folder to commit \(destination)")
        case .encryptionNotSupported:
            (.destinationRefused, "Dropbox accepts no upload to the encrypted folder of \(destination)")
        case .properties: (.destinationRefused, "Dropbox refused the property groups for \(destination)")
        case .trouble: (.serverBusy, "Dropbox answered \(status) to the upload of \(destination)")
        case .unknown: (.serverMisbehaves, "Dropbox refused \(destination) for an unknown reason")
        case .nonsense:
            status == 409 || status < 300
                ? (.serverMisbehaves, "Dropbox's answer to the upload of \(destination) makes no sense")
                : (.httpStatus, "Dropbox answered \(status) to the upload of \(destination)")
        }
    }

    private static func meaning(of error: Authentication, _ account: String) -> (TransferFailure.Code, String) {
        switch error {
        case .invalidAccessToken: (.accountUnusable, "Dropbox does not accept the token of the account '\(account)'")
        case .expiredAccessToken:
            (.accountUnusable, "Dropbox says that the token of the account '\(account)' has expired, even a new one")
        case .missingScope(let scope):
            (
                .accountUnusable,
                "the app of the account '\(account)' lacks the permission \(scope.map { "'\($0)'" } ?? "to do this")"
            )
        case .userSuspended: (.accountUnusable, "Dropbox has suspended the user of the account '\(account)'")
        case .invalidSelectUser, .invalidSelectAdmin:
            (.httpStatus, "Dropbox rejects the team member that the headers select for the account '\(account)'")
        case .routeAccessDenied:
            (.accountUnusable, "Dropbox does not let the app of the account '\(account)' upload files")
        case .unsaid, .unknown:
            (.accountUnusable, "Dropbox does not accept the sign-in of the account '\(account)'")
        }
    }

    private static func meaning(of error: Session, _ destination: String) -> (TransferFailure.Code, String) {
        switch error {
        case .notFound: (.serverMisbehaves, "Dropbox repeatedly lost the upload session of \(destination)")
        case .closed: (.serverMisbehaves, "Dropbox repeatedly closed the upload session of \(destination)")
        case .incorrectOffset:
            (.serverMisbehaves, "Dropbox keeps naming a different byte to continue \(destination) from")
        case .notClosed, .concurrent:
            (.serverMisbehaves, "Dropbox treats the upload session of \(destination) as one of a different kind")
        case .tooLarge: (.destinationRefused, "Dropbox accepts no file as large as the one for \(destination)")
        }
    }

    private static func meaning(of error: Path, _ destination: String) -> (TransferFailure.Code, String) {
        switch error {
        case .malformedPath: (.destinationRefused, "Dropbox does not understand the path \(destination)")
        case .conflict(.file): (.destinationConflict, "another file is already at \(destination)")
        case .conflict(.folder): (.destinationConflict, "a folder is at \(destination)")
        case .conflict(.fileAncestor):
            (.destinationConflict, "a part of the path \(destination) is a file, not a folder")
        case .conflict(.unknown): (.destinationConflict, "something at \(destination) is in the way")
        case .noWritePermission: (.destinationRefused, "the account may not write to \(destination)")
        case .insufficientSpace: (.quotaExceeded, "the account has no room left for \(destination)")
        case .disallowedName: (.destinationRefused, "Dropbox does not allow the name \(destination)")
        case .teamFolder: (.destinationRefused, "\(destination) would change a team's folder, which no upload may")
        case .operationSuppressed: (.destinationRefused, "Dropbox has suppressed the upload to \(destination)")
        case .tooManyWriteOperations:
            (.serverBusy, "Dropbox is writing too much elsewhere in the folder to commit \(destination)")
        case .accessRestricted: (.destinationRefused, "access to the folder of \(destination) is restricted")
        case .notFound: (.destinationRefused, "Dropbox does not find \(destination)")
        case .unknown: (.destinationRefused, "Dropbox refused the path \(destination)")
        }
    }

    /// Details for troubleshooting.
    private var trail: String {
        let said = message.map { "; Dropbox says: \($0)" } ?? ""
        var facts: [String] = []
        if !tags.isEmpty { facts.append(tags.joined(separator: "/")) }
        if let requestID { facts.append("request \(requestID)") }
        return said + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
    }
}
