// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The part of Dropbox that accounts talk to (OAuth 2 with PKCE), on a fault server: a code is valid once, a refresh
/// token until it is revoked, an access token for its stated lifetime.
package final class TokenService: Sendable {
    package struct State: Sendable {
        /// The valid codes.
        package var codes: Set<String> = ["code-1"]
        /// Seconds that access tokens last.
        package var lifetime = 14_400
        package var accountID = "dbid:someone"
        package var email: String? = "someone@example.org"
        /// Whether a code brings a refresh token.
        package var isOffline = true
        /// Whether a renewal brings a new refresh token, and revokes the previous one.
        package var rotates = false
        /// Answers that replace the token endpoint's next ones.
        package var troubles: [FaultAnswer] = []
        /// A gate that renewals wait for.
        package var gate: FaultGate?
        fileprivate var grants = 0
        fileprivate var refreshTokens: Set<String> = []
        /// Access tokens with their refresh tokens.
        fileprivate var accessTokens: [String: String] = [:]
    }

    package let server: FaultServer
    package let state = Monitor(State())

    /// The beginning of every token, for tests that search for leaked ones.
    package static let accessMark = "sl.SECRET-access-"
    package static let refreshMark = "SECRET-refresh-"

    package init() throws {
        server = try FaultServer()
        let state = state
        server.script("/oauth2/token", FaultAnswer { try Self.giveToken($0, state) })
        server.script("/2/auth/token/revoke", FaultAnswer { try Self.revoke($0, state) })
        server.script("/2/users/get_current_account", FaultAnswer { try Self.describe($0, state) })
    }

    /// The value for `--api-url`.
    package var url: String { server.url("") }

    package func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Revokes all grants, as when a person unlinks an app.
    package func revokeAll() {
        state.withLock {
            $0.refreshTokens = []
            $0.accessTokens = [:]
        }
    }

    package var accessTokens: Set<String> { state.withLock { Set($0.accessTokens.keys) } }
    package var refreshTokens: Set<String> { state.withLock { $0.refreshTokens } }

    /// The forms sent to the token endpoint, of one grant type.
    package func forms(_ grant: String) -> [[String: String]] {
        server.requests("/oauth2/token").map { URLEncodedForm.decode(String(decoding: $0.body, as: UTF8.self)) }
            .filter { $0["grant_type"] == grant }
    }

    private static func giveToken(_ exchange: FaultExchange, _ state: Monitor<State>) throws {
        let trouble = state.withLock { $0.troubles.isEmpty ? nil : $0.troubles.removeFirst() }
        if let trouble { return try trouble.run(exchange) }
        try exchange.readBody()
        let form = URLEncodedForm.decode(String(decoding: exchange.body, as: UTF8.self))
        if form["grant_type"] == "refresh_token", let gate = state.withLock({ $0.gate }) {
            try exchange.wait(for: gate)
        }
        let answer = state.withLock { state -> String? in
            switch form["grant_type"] {
            case "authorization_code":
                guard let code = form["code"], form["code_verifier"] != nil, form["client_id"] != nil,
                    state.codes.remove(code) != nil
                else { return nil }
                return grant(&state, for: nil, refreshes: state.isOffline)
            case "refresh_token":
                guard let token = form["refresh_token"], state.refreshTokens.contains(token) else { return nil }
                if state.rotates { state.refreshTokens.remove(token) }
                return grant(&state, for: token, refreshes: state.rotates)
            default: return nil
            }
        }
        try respond(exchange, answer == nil ? 400 : 200, answer ?? #"{"error": "invalid_grant"}"#)
    }

    private static func grant(_ state: inout State, for refreshToken: String?, refreshes: Bool) -> String {
        state.grants += 1
        let access = "\(accessMark)\(state.grants)"
        state.accessTokens[access] = refreshes ? "\(refreshMark)\(state.grants)" : refreshToken ?? ""
        var text = #"{"access_token": "\#(access)", "token_type": "bearer", "expires_in": \#(state.lifetime)"#
        if refreshes {
            state.refreshTokens.insert("\(refreshMark)\(state.grants)")
            text += #", "refresh_token": "\#(refreshMark)\#(state.grants)""#
        }
        return text + #", "account_id": "\#(state.accountID)"}"#
    }

    private static func revoke(_ exchange: FaultExchange, _ state: Monitor<State>) throws {
        try exchange.readBody()
        let token = bearer(exchange)
        let wasGood = state.withLock { state in
            guard let token, let refreshToken = state.accessTokens.removeValue(forKey: token) else { return false }
            state.refreshTokens.remove(refreshToken)
            state.accessTokens = state.accessTokens.filter { $0.value != refreshToken || refreshToken.isEmpty }
            return true
        }
        try respond(exchange, wasGood ? 200 : 401, "null")
    }

    private static func describe(_ exchange: FaultExchange, _ state: Monitor<State>) throws {
        try exchange.readBody()
        let token = bearer(exchange)
        let email = state.withLock { state in token.map { state.accessTokens[$0] != nil } == true ? state.email : nil }
        try respond(exchange, email == nil ? 401 : 200, email.map { #"{"email": "\#($0)"}"# } ?? "{}")
    }

    private static func bearer(_ exchange: FaultExchange) -> String? {
        exchange.request.headers["Authorization"].flatMap {
            $0.hasPrefix("Bearer ") ? String($0.dropFirst("Bearer ".count)) : nil
        }
    }

    private static func respond(_ exchange: FaultExchange, _ status: Int, _ body: String) throws {
        let type = HeaderField(name: "Content-Type", value: "application/json")
        try exchange.respond(status, [type], body: Array(body.utf8))
    }
}
