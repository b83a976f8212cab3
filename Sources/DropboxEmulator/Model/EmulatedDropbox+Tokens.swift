// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Tokens: given for codes and refresh tokens, asked for with every call, and taken back.
extension EmulatedDropbox {
    /// Who makes a call.
    struct Caller {
        var account: String
        /// Empty where an app spoke for itself.
        var token: String
    }

    /// Makes an access token and a refresh token without the authorize page, for tests.
    ///
    /// - Parameters:
    ///   - account: a name; the account is made where there is none of that name.
    ///   - client: the app's key.
    ///   - scopes: nil for all.
    ///   - lifetime: seconds that the access token lasts; nil for the rule's.
    ///   - now: seconds since 1970.
    /// - Returns: what the token route answers.
    package mutating func issueToken(
        account: String = mainAccount,
        client: String = "app",
        scopes: [String]? = nil,
        lifetime: Double? = nil,
        now: Double
    ) -> EmulatorJSON {
        ensureAccount(account)
        let grant = EmulatedGrant(client: client, account: account, scopes: scopes ?? Self.scopes, usesPKCE: true)
        let refresh = newRefreshToken(grant)
        return give(grant, refresh: refresh, tellsRefresh: true, lifetime: lifetime, now)
    }

    mutating func ensureAccount(_ name: String) {
        guard accounts[name] == nil else { return }
        // By its name and not by what came before: a person is the same one after a reset.
        var random = SeededNumbers(seed: name.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        accounts[name] = EmulatedAccount(name: name, random: &random)
    }

    mutating func token(
        _ request: EmulatorRequest,
        _ body: [UInt8],
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorReply {
        guard request.method == "POST" else { throw .status(405, "Tokens are asked for with POST.\n") }
        guard request.mediaType == "application/x-www-form-urlencoded", let form = FormFields.parse(body) else {
            throw .oauth(error: "invalid_request", description: "the body must be a form")
        }
        let (client, secret) = try credentials(request, form)
        switch form["grant_type"] {
        case "authorization_code"?: return .json(try exchange(form, client, secret, now))
        case "refresh_token"?: return .json(try refresh(form, client, secret, now))
        default: throw .oauth(error: "unsupported_grant_type", description: "grant_type is not supported")
        }
    }

    private mutating func exchange(
        _ form: [String: String],
        _ client: String,
        _ secret: String?,
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorJSON {
        func refuse(_ what: String) -> DropboxRefusal { .oauth(error: "invalid_grant", description: what) }
        guard let text = form["code"] else { throw .oauth(error: "invalid_request", description: "missing code") }
        // Whoever brings a code uses it up, whether or not the rest is right.
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
        record.tokensForCodes += 1
        let refresh = code.isOffline ? newRefreshToken(code.grant) : nil
        return give(code.grant, refresh: refresh, tellsRefresh: true, lifetime: nil, now)
    }

    private mutating func refresh(
        _ form: [String: String],
        _ client: String,
        _ secret: String?,
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorJSON {
        guard let text = form["refresh_token"] else {
            throw .oauth(error: "invalid_request", description: "missing refresh_token")
        }
        guard var grant = refreshTokens[text], grant.client == client else {
            throw .oauth(error: "invalid_grant", description: "refresh token is invalid or revoked")
        }
        if !grant.usesPKCE, secret == nil {
            throw .oauth(error: "invalid_client", description: "client_secret is required")
        }
        grant.scopes = try Self.scopes(form["scope"], within: grant.scopes)
        record.tokenRefreshes += 1
        return give(grant, refresh: text, tellsRefresh: false, lifetime: nil, now)
    }

    /// The app's key and its secret, which is right when there is one.
    private func credentials(
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

    /// What a verifier looks like in the authorize page's URL.
    package static func challenge(_ verifier: String) -> String {
        Data(SHA256Digest.bytes(of: Array(verifier.utf8))).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private mutating func newRefreshToken(_ grant: EmulatedGrant) -> String {
        let token = random.name(64)
        refreshTokens[token] = grant
        return token
    }

    private mutating func give(
        _ grant: EmulatedGrant,
        refresh: String?,
        tellsRefresh: Bool,
        lifetime: Double?,
        _ now: Double
    ) -> EmulatorJSON {
        let token = "sl.u." + random.name(60)
        let seconds = lifetime ?? rules.tokenLifetime
        accessTokens[token] = AccessToken(grant: grant, refreshToken: refresh, end: now + seconds)
        var fields: [String: EmulatorJSON] = [
            "access_token": .string(token), "token_type": "bearer", "expires_in": .integer(Int64(seconds)),
        ]
        guard tellsRefresh else { return .object(fields) }
        fields["scope"] = .string(grant.scopes.joined(separator: " "))
        if let account = accounts[grant.account] {
            fields["uid"] = .string(account.uid)
            fields["account_id"] = .string(account.id)
        }
        if let refresh { fields["refresh_token"] = .string(refresh) }
        return .object(fields)
    }

    // MARK: Calls

    static func bearer(_ request: EmulatorRequest) -> String? {
        guard let header = request.header("Authorization"), header.hasPrefix("Bearer ") else { return nil }
        return String(header.dropFirst(7))
    }

    func authenticate(
        _ request: EmulatorRequest,
        _ route: EmulatorRoute,
        _ now: Double
    ) throws(DropboxRefusal) -> Caller {
        let complaint = "Error in call to API function \"\(route.rawValue)\": "
        guard let header = request.header("Authorization") else {
            throw .malformed(
                "\(complaint)Must provide HTTP header \"Authorization\" or URL parameter \"authorization\"."
            )
        }
        if route == .checkApp {
            guard header.hasPrefix("Basic "), let pair = Self.basic(header),
                apps.isEmpty || apps[pair.client] == pair.secret
            else { throw .malformed("\(complaint)Invalid app key or secret in the Authorization header.") }
            return Caller(account: Self.mainAccount, token: "")
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

    /// Ends the token of the call, and the refresh token it came from with all others of that.
    mutating func revoke(_ caller: Caller, _ argument: EmulatorJSON) throws(DropboxRefusal) -> EmulatorReply {
        guard argument == .null else {
            throw .malformed("Error in call to API function \"auth/token/revoke\": request body: expected null")
        }
        if let refresh = accessTokens.removeValue(forKey: caller.token)?.refreshToken {
            refreshTokens[refresh] = nil
            accessTokens = accessTokens.filter { $0.value.refreshToken != refresh }
        }
        return .json(.null)
    }
}
