// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers

/// A sign-in service made of values: it replaces a server and the threads that wait for one.
///
/// `@unchecked Sendable`: belongs to the loop.
final class StandInService: @unchecked Sendable {
    struct Request {
        var path: String
        var fields: [String: String]
        var bearer: String?
        var at: Double
    }

    /// Valid codes.
    var codes: Set<String> = ["code-1"]
    /// The lifetime of access tokens, in seconds.
    var lifetime = 14_400
    var accountID = "dbid:someone"
    /// Whether a renewal returns a new refresh token, and invalidates the old one.
    var rotates = false
    /// Replaces each answer of the token endpoint; nil while the endpoint works.
    var trouble: Result<TokenAnswer, TransferFailure>?
    private(set) var requests: [Request] = []
    private var grants = 0
    private var refreshTokens: Set<String> = []
    private var accessTokens: Set<String> = []
    private let now: @Sendable () -> Double

    /// - Parameter now: the machine's clock, in seconds.
    init(now: @escaping @Sendable () -> Double) { self.now = now }

    /// The requests for tokens of one kind of grant.
    func asked(_ grant: String) -> [Request] { requests.filter { $0.fields["grant_type"] == grant } }
    var revocations: [Request] { requests.filter { $0.path.hasSuffix("/auth/token/revoke") } }

    /// Revokes all grants, like a person who unlinks an app.
    func revokeAll() {
        refreshTokens = []
        accessTokens = []
    }

    func isGood(_ token: String) -> Bool { accessTokens.contains(token) }

    func answer(_ request: TokenRequest) -> Result<TokenAnswer, TransferFailure> {
        var fields: [String: String] = [:]
        if case .form(let all) = request.body { for field in all { fields[field.name] = field.value } }
        let path = request.url.unredacted
        requests.append(Request(path: path, fields: fields, bearer: request.bearer, at: now()))
        if path.hasSuffix("/oauth2/token") {
            if let trouble { return trouble }
            return .success(token(fields))
        }
        if path.hasSuffix("/auth/token/revoke") {
            return .success(answer(accessTokens.remove(request.bearer ?? "") == nil ? 401 : 200, "null"))
        }
        return .success(answer(200, #"{"email": "someone@example.org"}"#))
    }

    private func token(_ fields: [String: String]) -> TokenAnswer {
        switch fields["grant_type"] {
        case "authorization_code":
            guard codes.remove(fields["code"] ?? "") != nil else { break }
            return grant(refreshes: true)
        case "refresh_token":
            guard let token = fields["refresh_token"], refreshTokens.contains(token) else { break }
            if rotates { refreshTokens.remove(token) }
            return grant(refreshes: rotates)
        default: break
        }
        return answer(400, #"{"error": "invalid_grant"}"#)
    }

    private func grant(refreshes: Bool) -> TokenAnswer {
        grants += 1
        accessTokens.insert("access-\(grants)")
        var text = #"{"access_token": "access-\#(grants)", "token_type": "bearer", "expires_in": \#(lifetime), "#
        if refreshes {
            refreshTokens.insert("refresh-\(grants)")
            text += #""refresh_token": "refresh-\#(grants)", "#
        }
        return answer(200, text + #""account_id": "\#(accountID)"}"#)
    }

    private func answer(_ status: Int, _ text: String) -> TokenAnswer {
        TokenAnswer(status: status, body: Array(text.utf8))
    }
}
