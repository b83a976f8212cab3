// SPDX-License-Identifier: Apache-2.0

/// Tokens: issued for codes and refresh tokens, and revoked.
extension EmulatedDropbox {
    /// Issues an access token and a refresh token without the authorize page, for tests.
    ///
    /// - Parameters:
    ///   - account: a name; the account is created if it does not exist.
    ///   - client: the app's key.
    ///   - scopes: nil for all.
    ///   - lifetime: seconds that the access token lasts; nil for the lifetime in the rules.
    ///   - now: seconds since 1970.
    /// - Returns: the answer of the token route.
    package mutating func issueToken(
        account: String = mainAccount,
        client: String = "app",
        scopes: [String]? = nil,
        lifetime: Double? = nil,
        now: Double
    ) -> EmulatorJSON {
        ensureAccount(account)
        let grant = EmulatedGrant(client: client, account: account, scopes: scopes ?? Self.scopes, usesPKCE: true)
        let seconds = lifetime ?? rules.tokenLifetime
        return description(of: oauth.issue(grant, isOffline: true, lifetime: seconds, &random, now), tellsGrant: true)
    }

    mutating func ensureAccount(_ name: String) {
        guard accounts[name] == nil else { return }
        // Seeded by the name, not by earlier calls: a person keeps the same identifiers after a reset.
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
        let (client, secret) = try oauth.credentials(request, form)
        let lifetime = rules.tokenLifetime
        switch form["grant_type"] {
        case "authorization_code"?:
            let issued = try oauth.exchange(form, client, secret, lifetime: lifetime, &random, now)
            record.tokensForCodes += 1
            return .json(description(of: issued, tellsGrant: true))
        case "refresh_token"?:
            let issued = try oauth.refresh(form, client, secret, lifetime: lifetime, &random, now)
            record.tokenRefreshes += 1
            return .json(description(of: issued, tellsGrant: false))
        default: throw .oauth(error: "unsupported_grant_type", description: "grant_type is not supported")
        }
    }

    /// The answer of the token route.
    private func description(of issued: EmulatedOAuth.Issued, tellsGrant: Bool) -> EmulatorJSON {
        var fields: [String: EmulatorJSON] = [
            "access_token": .string(issued.token), "token_type": "bearer",
            "expires_in": .integer(Int64(issued.seconds)),
        ]
        guard tellsGrant else { return .object(fields) }
        fields["scope"] = .string(issued.grant.scopes.joined(separator: " "))
        if let account = accounts[issued.grant.account] {
            fields["uid"] = .string(account.uid)
            fields["account_id"] = .string(account.id)
        }
        if let refresh = issued.refresh { fields["refresh_token"] = .string(refresh) }
        return .object(fields)
    }

    /// The challenge for a verifier, as in the authorize page's URL.
    package static func challenge(_ verifier: String) -> String { EmulatedOAuth.challenge(verifier) }

    /// Revokes the call's token, the refresh token that it came from, and all other access tokens of that refresh
    /// token.
    mutating func revoke(
        _ caller: EmulatedOAuth.Caller,
        _ argument: EmulatorJSON
    ) throws(DropboxRefusal) -> EmulatorReply {
        guard argument == .null else {
            throw .malformed("Error in call to API function \"auth/token/revoke\": request body: expected null")
        }
        oauth.revoke(caller.token)
        return .json(.null)
    }
}
