// SPDX-License-Identifier: Apache-2.0

/// The permissions granted to an app, and for how long.
struct EmulatedGrant: Sendable {
    var client: String
    var account: String
    var scopes: [String]
    /// Whether the app authenticated with PKCE rather than its secret.
    var usesPKCE: Bool

    /// Parses the requested scopes, separated by spaces; all allowed scopes if none is named.
    static func scopes(_ text: String?, within allowed: [String]) throws(DropboxRefusal) -> [String] {
        guard let text else { return allowed }
        let scopes = text.split(separator: " ").map(String.init)
        if let other = scopes.first(where: { !allowed.contains($0) }) {
            throw .oauth(error: "invalid_scope", description: "the scope \"\(other)\" is not available to this app")
        }
        return scopes
    }
}

/// A code from the authorize page, valid for one exchange.
struct AuthorizationCode: Sendable {
    var grant: EmulatedGrant
    var redirectURI: String?
    var challenge: String?
    var isOffline: Bool
    /// Seconds since 1970.
    var end: Double
}

/// A token that authorizes calls.
struct AccessToken: Sendable {
    var grant: EmulatedGrant
    /// The refresh token that it came from; revoking this token revokes it as well.
    var refreshToken: String?
    /// Seconds since 1970.
    var end: Double
}
