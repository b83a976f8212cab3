// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The apps' grants: codes, each valid for one exchange, refresh tokens, and the access tokens issued for either.
struct EmulatedOAuth: Sendable {
    /// The caller of a route.
    struct Caller {
        var account: String
        /// Empty if an app authenticated as itself.
        var token: String
    }

    /// A newly issued access token with its refresh token.
    struct Issued {
        var grant: EmulatedGrant
        var token: String
        /// Seconds that it lasts.
        var seconds: Double
        /// Nil if the answer has none.
        var refresh: String?
    }

    /// App keys with their secrets; empty if any key is accepted, without a secret.
    let apps: [String: String]
    private var codes: [String: AuthorizationCode] = [:]
    private var accessTokens: [String: AccessToken] = [:]
    private var refreshTokens: [String: EmulatedGrant] = [:]

    init(apps: [String: String]) { self.apps = apps }

    func knows(_ client: String) -> Bool { apps.isEmpty || apps[client] != nil }

    // MARK: Codes and tokens

    mutating func add(_ code: AuthorizationCode, _ random: inout SeededNumbers) -> String {
        let text = random.name(43)
        codes[text] = code
        return text
    }

    /// Issues an access token, and a refresh token if requested.
    mutating func issue(
        _ grant: EmulatedGrant,
        isOffline: Bool,
        lifetime: Double,
        _ random: inout SeededNumbers,
        _ now: Double
    ) -> Issued {
        var refresh: String?
        if isOffline {
            let token = random.name(64)
            refreshTokens[token] = grant
            refresh = token
        }
        return give(grant, refresh: refresh, lifetime: lifetime, &random, now)
    }

    private mutating func give(
        _ grant: EmulatedGrant,
        refresh: String?,
        lifetime: Double,
        _ random: inout SeededNumbers,
        _ now: Double
    ) -> Issued {
        let token = "sl.u." + random.name(60)
        accessTokens[token] = AccessToken(grant: grant, refreshToken: refresh, end: now + lifetime)
        return Issued(grant: grant, token: token, seconds: lifetime, refresh: refresh)
    }

    mutating func exchange(
        _ form: [String: String],
        _ client: String,
        _ secret: String?,
        lifetime: Double,
        _ random: inout SeededNumbers,
        _ now: Double
    ) throws(DropboxRefusal) -> Issued {
        func refuse(_ what: String) -> DropboxRefusal { .oauth(error: "invalid_grant", description: what) }
        guard let text = form["code"] else { throw .oauth(error: "invalid_request", description: "missing code") }
        // Presenting a code uses it up, whether or not the other fields are right.
        guard let code = codes.removeValue(forKey: text), now < code.end else {
            throw refuse("code doesn't exist or has expired")
        }
        guard code.grant.client == client else { throw refuse("code was issued to another app") }
        guard code.redirectURI == form["redirect_uri"] else { throw refuse("redirect_uri mismatch") }
        if let challenge = code.challenge {
            guard let verifier = form["code_verifier"], Self.isVerifier(verifier), Self.challenge(verifier) == challenge
            else { throw refuse("invalid code verifier") }
        } else {
            guard form["code_verifier"] == nil else { throw refuse("code was requested without a code_challenge") }
            guard secret != nil else {
                throw .oauth(error: "invalid_client", description: "client_secret or PKCE is required")
            }
        }
        return issue(code.grant, isOffline: code.isOffline, lifetime: lifetime, &random, now)
    }

    mutating func refresh(
        _ form: [String: String],
        _ client: String,
        _ secret: String?,
        lifetime: Double,
        _ random: inout SeededNumbers,
        _ now: Double
    ) throws(DropboxRefusal) -> Issued {
        guard let text = form["refresh_token"] else {
            throw .oauth(error: "invalid_request", description: "missing refresh_token")
        }
        guard var grant = refreshTokens[text], grant.client == client else {
            throw .oauth(error: "invalid_grant", description: "refresh token is invalid or revoked")
        }
        if !grant.usesPKCE, secret == nil {
            throw .oauth(error: "invalid_client", description: "client_secret is required")
        }
        grant.scopes = try EmulatedGrant.scopes(form["scope"], within: grant.scopes)
        return give(grant, refresh: text, lifetime: lifetime, &random, now)
    }

    /// Revokes the call's token, the refresh token that it came from, and all other access tokens of that refresh
    /// token.
    mutating func revoke(_ token: String) {
        guard let refresh = accessTokens.removeValue(forKey: token)?.refreshToken else { return }
        refreshTokens[refresh] = nil
        accessTokens = accessTokens.filter { $0.value.refreshToken != refresh }
    }

    mutating func expire(_ token: String, at now: Double) { accessTokens[token]?.end = now }

    // MARK: Callers

    /// The app's key and secret; the secret is checked if there is one.
    func credentials(
        _ request: EmulatorRequest,
        _ form: [String: String]
    ) throws(DropboxRefusal) -> (client: String, secret: String?) {
        var client = form["client_id"]
        var secret = form["client_secret"]
        if let header = request.header("Authorization"), header.hasPrefix("Basic ") {
            guard let pair = Self.basic(header) else {
                throw .oauth(error: "invalid_client", description: "the Authorization header is malformed")
            }
            (client, secret) = (pair.client, pair.secret)
        }
        guard let client else { throw .oauth(error: "invalid_request", description: "missing client_id") }
        if !apps.isEmpty {
            guard let known = apps[client] else {
                throw .oauth(error: "invalid_client", description: "Invalid client_id or client_secret")
            }
            if let secret, secret != known || known.isEmpty {
                throw .oauth(error: "invalid_client", description: "Invalid client_id or client_secret")
            }
        }
        return (client, secret)
    }

    func authenticate(
        _ request: EmulatorRequest,
        _ route: EmulatorRoute,
        _ now: Double
    ) throws(DropboxRefusal) -> Caller {
        let complaint = route.complaint
        guard let header = request.header("Authorization") else {
            throw .malformed(
                "\(complaint)Must provide HTTP header \"Authorization\" or URL parameter \"authorization\"."
            )
        }
        if route == .checkApp {
            guard header.hasPrefix("Basic "), let pair = Self.basic(header),
                apps.isEmpty || apps[pair.client] == pair.secret
            else { throw .malformed("\(complaint)Invalid app key or secret in the Authorization header.") }
            return Caller(account: EmulatedDropbox.mainAccount, token: "")
        }
        guard let text = Self.bearer(request), !text.isEmpty else {
            throw .malformed("\(complaint)Invalid authorization value in HTTP header \"Authorization\".")
        }
        guard let token = accessTokens[text] else { throw .unauthorized(.tag("invalid_access_token")) }
        guard now < token.end else { throw .unauthorized(.tag("expired_access_token")) }
        if let scope = route.scope, !token.grant.scopes.contains(scope) {
            throw .unauthorized(.tag("missing_scope", ["required_scope": .string(scope)]))
        }
        return Caller(account: token.grant.account, token: text)
    }

    static func bearer(_ request: EmulatorRequest) -> String? {
        guard let header = request.header("Authorization"), header.hasPrefix("Bearer ") else { return nil }
        return String(header.dropFirst(7))
    }

    private static func basic(_ header: String) -> (client: String, secret: String)? {
        guard let data = Data(base64Encoded: String(header.dropFirst(6))) else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(
            separator: ":",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }

    /// 43 to 128 unreserved characters.
    private static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && FormFields.encode(text) == text
    }

    /// The challenge for a verifier, as in the authorize page's URL.
    static func challenge(_ verifier: String) -> String {
        Data(SHA256Digest.bytes(of: Array(verifier.utf8))).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
