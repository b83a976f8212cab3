// SPDX-License-Identifier: Apache-2.0

/// The emulator's routes, by the names that fault rules and records use.
package enum EmulatorRoute: String, Sendable, CaseIterable {
    case authorize = "oauth2/authorize"
    case token = "oauth2/token"
    case revoke = "auth/token/revoke"
    case checkUser = "check/user"
    case checkApp = "check/app"
    case currentAccount = "users/get_current_account"
    case upload = "files/upload"
    case start = "files/upload_session/start"
    case startBatch = "files/upload_session/start_batch"
    case append = "files/upload_session/append_v2"
    case appendBatch = "files/upload_session/append_batch"
    case finish = "files/upload_session/finish"
    case finishBatch = "files/upload_session/finish_batch"
    case finishBatchCheck = "files/upload_session/finish_batch/check"
    case finishBatchV2 = "files/upload_session/finish_batch_v2"
    case temporaryLink = "files/get_temporary_upload_link"
    /// The route of a temporary upload link, followed by the link's name.
    case temporaryUpload = "apitul/1"
    case getMetadata = "files/get_metadata"
    case download = "files/download"

    /// How the argument, the bytes and the result are transmitted.
    enum Style {
        /// JSON in the body, JSON back.
        case rpc
        /// Argument in a header, bytes in the body, JSON back.
        case upload
        /// Argument in a header, bytes back, the result in a header.
        case download
        /// A form or a query, as in OAuth 2.
        case oauth
        /// Bytes in the body for a link, which determines their destination.
        case link
    }

    var style: Style {
        switch self {
        case .authorize, .token: .oauth
        case .upload, .start, .append, .appendBatch, .finish: .upload
        case .download: .download
        case .temporaryUpload: .link
        default: .rpc
        }
    }

    /// The permission that a token needs; nil if any token is accepted.
    var scope: String? {
        switch self {
        case .upload, .start, .startBatch, .append, .appendBatch, .finish, .finishBatch, .finishBatchCheck,
            .finishBatchV2, .temporaryLink:
            "files.content.write"
        case .download: "files.content.read"
        case .getMetadata: "files.metadata.read"
        case .currentAccount, .checkUser: "account_info.read"
        case .authorize, .token, .revoke, .checkApp, .temporaryUpload: nil
        }
    }

    /// Whether its bytes go to an upload session or a file.
    var storesBytes: Bool { style == .upload }

    func checkMediaType(_ request: EmulatorRequest) throws(DropboxRefusal) {
        let allowed: [String?] =
            switch style {
            case .upload: ["application/octet-stream"]
            case .download: [nil, "", "application/octet-stream", "text/plain"]
            // A route without an argument may come without a body and a type.
            case .rpc: [.revoke, .currentAccount].contains(self) ? ["application/json", nil] : ["application/json"]
            case .oauth, .link: []
            }
        if !allowed.contains(request.mediaType) {
            let expected = allowed.compactMap { $0 }.map { "\"\($0)\"" }.joined(separator: ", ")
            throw .malformed(
                "\(complaint)Bad HTTP \"Content-Type\" header: \"\(request.header("Content-Type") ?? "")\". "
                    + "Expecting one of \(expected)."
            )
        }
    }

    /// The beginning of a complaint about a call.
    var complaint: String { "Error in call to API function \"\(rawValue)\": " }

    /// - Parameter path: of the URL, `/2/files/upload` or `/oauth2/token`.
    package init?(path: String) {
        if path.hasPrefix("/2/") {
            guard let route = EmulatorRoute(rawValue: String(path.dropFirst(3))) else { return nil }
            if route.style == .oauth || route.style == .link { return nil }
            self = route
        } else if path.hasPrefix("/apitul/1/") {
            self = .temporaryUpload
        } else {
            guard let route = EmulatorRoute(rawValue: String(path.dropFirst(1))), route.style == .oauth else {
                return nil
            }
            self = route
        }
    }
}
