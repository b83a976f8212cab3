// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The contents of a Google key file: whose tokens it provides, and where. Its secrets are never shown.
package enum GoogleKey: Sendable, Equatable {
    /// A service account, whose private key signs the request for a token.
    case serviceAccount(ServiceAccount)
    /// A user who has signed in with `gcloud auth application-default login`.
    case user(User)

    package struct ServiceAccount: Sendable, Equatable {
        /// Its address, which is also its name.
        package var email: String
        /// The ID of the key; nil if the file has none.
        package var keyID: String?
        /// In PEM.
        package var privateKey: String
        /// The URL that issues tokens.
        package var tokenURL: String

        package init(email: String, keyID: String?, privateKey: String, tokenURL: String) {
            self.email = email
            self.keyID = keyID
            self.privateKey = privateKey
            self.tokenURL = tokenURL
        }
    }

    package struct User: Sendable, Equatable {
        package var clientID: String
        package var clientSecret: String
        package var refreshToken: String

        package init(clientID: String, clientSecret: String, refreshToken: String) {
            self.clientID = clientID
            self.clientSecret = clientSecret
            self.refreshToken = refreshToken
        }
    }

    /// Google's token server.
    package static let tokenURL = "https://oauth2.googleapis.com/token"
    /// What the token allows: to read and write objects.
    package static let scope = "https://www.googleapis.com/auth/devstorage.read_write"
    /// The maximum number of bytes to read from a file.
    package static let longestFile = 65_536

    private struct File: Decodable {
        var type: String?
        var client_email: String?
        var private_key_id: String?
        var private_key: String?
        var token_uri: String?
        var client_id: String?
        var client_secret: String?
        var refresh_token: String?
    }

    /// Reads the content of a key file.
    ///
    /// - Returns: the key, or the problem with the file, as the end of a sentence.
    package static func read(_ bytes: [UInt8]) -> Result<GoogleKey, Problem> {
        guard let file = try? ForeignJSON.decode(File.self, from: bytes, values: 100), let type = file.type else {
            return .failure(Problem("is not a key file of Google's in JSON"))
        }
        switch type {
        case "service_account":
            guard let email = file.client_email, let key = file.private_key else {
                return .failure(Problem("has no client_email and private_key"))
            }
            return .success(
                .serviceAccount(
                    ServiceAccount(
                        email: email,
                        keyID: file.private_key_id,
                        privateKey: key,
                        tokenURL: file.token_uri ?? tokenURL
                    )
                )
            )
        case "authorized_user":
            guard let id = file.client_id, let secret = file.client_secret, let token = file.refresh_token else {
                return .failure(Problem("has no client_id, client_secret and refresh_token"))
            }
            return .success(.user(User(clientID: id, clientSecret: secret, refreshToken: token)))
        default:
            return .failure(
                Problem(
                    "has the type '\(String(type.prefix(40)).redactedControls)', which only Google's tools support: use --token-command 'gcloud auth print-access-token'"
                )
            )
        }
    }

    /// A problem with a key file.
    package struct Problem: Error, Equatable {
        package var detail: String

        init(_ detail: String) { self.detail = detail }
    }

    /// The text that a service account signs to request a token (RFC 7523): header and claims of a JSON Web Token.
    ///
    /// - Parameters:
    ///   - account: the account whose token is requested.
    ///   - time: seconds since 1970.
    /// - Returns: the text to sign.
    package static func claims(of account: ServiceAccount, at time: Int64) -> String {
        struct Header: Encodable {
            var alg = "RS256"
            var typ = "JWT"
            var kid: String?
        }
        struct Claims: Encodable {
            var iss: String
            var scope: String
            var aud: String
            var iat: Int64
            var exp: Int64
        }
        let claims = Claims(
            iss: account.email,
            scope: scope,
            aud: account.tokenURL,
            iat: time,
            exp: time.addingClamped(3600)
        )
        return "\(encoded(Header(kid: account.keyID))).\(encoded(claims))"
    }

    private static func encoded(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { Base64URL.text($0) } ?? ""
    }
}

extension GoogleKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(hidden)" }
    package var debugDescription: String { "(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
