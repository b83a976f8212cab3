// SPDX-License-Identifier: Apache-2.0

/// What an app was allowed, for how long.
struct EmulatedGrant: Sendable {
    var client: String
    var account: String
    var scopes: [String]
    /// Whether the app proved itself by PKCE and not by its secret.
    var usesPKCE: Bool

    /// The scopes that are asked for, names with spaces between them; all that are allowed where none is named.
    static func scopes(_ text: String?, within allowed: [String]) throws(DropboxRefusal) -> [String] {
        guard let text else { return allowed }
        let scopes = text.split(separator: " ").map(String.init)
        if let other = scopes.first(where: { !allowed.contains($0) }) {
            throw .oauth(error: "invalid_scope", description: "the scope \"\(other)\" is not available to this app")
        }
        return scopes
    }
}

/// A code of the authorize page, good for one exchange.
struct AuthorizationCode: Sendable {
    var grant: EmulatedGrant
    var redirectURI: String?
    var challenge: String?
    var isOffline: Bool
    /// Seconds since 1970.
    var end: Double
}

/// What calls are made with.
struct AccessToken: Sendable {
    var grant: EmulatedGrant
    /// The refresh token that it came from, which ends with it when it is revoked.
    var refreshToken: String?
    /// Seconds since 1970.
    var end: Double
}
