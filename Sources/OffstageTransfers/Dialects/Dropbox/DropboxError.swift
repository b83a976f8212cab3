// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The error in an unsuccessful answer from Dropbox. Dropbox's unions are open: an unknown tag is kept unchanged.
package struct DropboxError: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// 400: the request is malformed; Dropbox's message about it.
        case malformed(String)
        /// 401.
        case authentication(Authentication)
        /// 403: the account or its team is not permitted; the tag.
        case forbidden(String)
        /// 422: about the `Dropbox-API-Path-Root` of the owner's headers; the tag.
        case pathRoot(String)
        /// 429; the reason's tag.
        case rateLimited(String)
        /// An error of the upload session.
        case session(Session)
        /// An error of the destination. `session` holds the bytes if `files/upload` received them.
        case path(Path, session: String?)
        /// The request's body is too long.
        case payloadTooLarge
        /// The received bytes do not match their hash.
        case contentHashMismatch
        case tooManyWriteOperations
        case encryptionNotSupported
        /// An error of the file's property groups; the tag.
        case properties(String)
        /// 5xx and 408: may be temporary.
        case trouble
        /// An unknown error of a route.
        case unknown(String)
        /// A status or body that Dropbox does not send.
        case nonsense
    }

    /// AuthError.
    package enum Authentication: Sendable, Hashable {
        case invalidAccessToken, expiredAccessToken, userSuspended
        case invalidSelectUser, invalidSelectAdmin, routeAccessDenied
        /// The scope that the account's app lacks.
        case missingScope(String?)
        /// The answer's body is not from Dropbox.
        case unsaid
        case unknown(String)
    }

    /// UploadSessionLookupError.
    package enum Session: Sendable, Hashable {
        case notFound, closed, notClosed, tooLarge
        /// The byte at which the session continues.
        case incorrectOffset(Int64)
        /// An error that only concurrent sessions can have; the tag.
        case concurrent(String)
    }

    /// WriteError, and the LookupError of `files/get_metadata`.
    package enum Path: Sendable, Hashable {
        case malformedPath, noWritePermission, insufficientSpace, disallowedName, teamFolder
        case operationSuppressed, tooManyWriteOperations, accessRestricted, notFound
        case conflict(Conflict)
        case unknown(String)
    }

    /// WriteConflictError.
    package enum Conflict: Sendable, Hashable {
        case file, folder, fileAncestor
        case unknown(String)
    }

    package var status: Int
    package var kind: Kind
    /// The tags, outermost first.
    package var tags: [String] = []
    /// `X-Dropbox-Request-Id`: Dropbox's support asks for it.
    package var requestID: String?
    /// Seconds.
    package var retryAfter: Double?
    /// Dropbox's message for the user.
    package var message: String?

    init(status: Int, kind: Kind) {
        self.status = status
        self.kind = kind
    }

    /// Reads an unsuccessful answer.
    package init(_ answer: Answer) {
        let envelope = DropboxJSON(parsing: answer.bodyStart) ?? .null
        let error = envelope["error"]
        self.init(status: answer.status, kind: .nonsense)
        tags = Self.tags(of: error)
        requestID = answer.headers["X-Dropbox-Request-Id"].map { Self.shown($0, most: 64) }
        retryAfter = ResponseHead(status: answer.status, headers: answer.headers).retryAfterSeconds
        message = envelope["user_message"]["text"].string.map { Self.shown($0, most: 200) }
        kind = kind(of: error, body: answer.bodyStart)
        if case .rateLimited = kind, retryAfter == nil {
            retryAfter = min(Double(error["retry_after"].integer.map { max(0, $0) } ?? 1), 31_536_000)
        }
    }

    private func kind(of error: DropboxJSON, body: [UInt8]) -> Kind {
        let tag = error.tag ?? error["reason"].tag ?? ""
        return switch status {
        case 400: .malformed(Self.shown(String(decoding: body.prefix(1000), as: UTF8.self), most: 200))
        case 401: .authentication(DropboxJSON(parsing: body) == nil ? .unsaid : Authentication(error))
        case 403: .forbidden(tag)
        case 409: error.tag == nil ? .nonsense : Self.routeError(error)
        case 413: .payloadTooLarge
        case 422: .pathRoot(tag)
        case 429: .rateLimited(tag)
        case 408, 500...599: .trouble
        default: .nonsense
        }
    }

    /// Reads a member of a route's union, which may be the session's lookup error, or contain one.
    private static func routeError(_ error: DropboxJSON) -> Kind {
        let tag = error.tag ?? ""
        switch tag {
        case "lookup_failed":
            let inner = error[tag]
            return inner.tag == nil || inner.tag == tag ? .unknown(tag) : routeError(inner)
        case "path":
            // In files/upload the member is a struct whose fields are beside the tag.
            let reason = error["reason"] == .null ? error[tag] : error["reason"]
            return .path(Path(reason), session: error["upload_session_id"].string)
        case "not_found": return .session(.notFound)
        case "closed": return .session(.closed)
        case "not_closed": return .session(.notClosed)
        case "too_large": return .session(.tooLarge)
        case "incorrect_offset":
            return error["correct_offset"].integer.map { .session(.incorrectOffset($0)) } ?? .unknown(tag)
        case "payload_too_large": return .payloadTooLarge
        case "content_hash_mismatch": return .contentHashMismatch
        case "too_many_write_operations": return .tooManyWriteOperations
        case "encryption_not_supported": return .encryptionNotSupported
        case "properties_error": return .properties(error[tag].tag ?? "")
        default: return tag.hasPrefix("concurrent_session_") ? .session(.concurrent(tag)) : .unknown(tag)
        }
    }

    /// The tags of a union and of the unions nested in it.
    private static func tags(of error: DropboxJSON) -> [String] {
        var tags: [String] = []
        var rest = error
        while tags.count < 5 {
            guard let tag = rest.tag else {
                guard rest["reason"].tag != nil else { break }
                rest = rest["reason"]
                continue
            }
            tags.append(shown(tag, most: 64))
            rest = rest["reason"].tag == nil ? rest[tag] : rest["reason"]
        }
        return tags
    }

    /// A text from the server, made safe for use in a sentence.
    private static func shown(_ text: String, most: Int) -> String {
        let words = text.redactedControls.prefix(most)
        return words.isEmpty ? "nothing" : String(words)
    }
}

extension DropboxError.Authentication {
    init(_ error: DropboxJSON) {
        self =
            switch error.tag ?? "" {
            case "invalid_access_token": .invalidAccessToken
            case "expired_access_token": .expiredAccessToken
            case "user_suspended": .userSuspended
            case "invalid_select_user": .invalidSelectUser
            case "invalid_select_admin": .invalidSelectAdmin
            case "route_access_denied": .routeAccessDenied
            case "missing_scope":
                .missingScope(error["required_scope"].string.map { String($0.redactedControls.prefix(64)) })
            case let tag: .unknown(tag)
            }
    }
}

extension DropboxError.Path {
    init(_ error: DropboxJSON) {
        self =
            switch error.tag ?? "" {
            case "malformed_path": .malformedPath
            case "conflict": .conflict(DropboxError.Conflict(error["conflict"]))
            case "no_write_permission": .noWritePermission
            case "insufficient_space": .insufficientSpace
            case "disallowed_name": .disallowedName
            case "team_folder": .teamFolder
            case "operation_suppressed": .operationSuppressed
            case "too_many_write_operations": .tooManyWriteOperations
            case "access_restricted": .accessRestricted
            case "not_found": .notFound
            case let tag: .unknown(tag)
            }
    }
}

extension DropboxError.Conflict {
    init(_ error: DropboxJSON) {
        self =
            switch error.tag ?? "" {
            case "file": .file
            case "folder": .folder
            case "file_ancestor": .fileAncestor
            case let tag: .unknown(tag)
            }
    }
}
