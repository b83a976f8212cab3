// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A complete answer from a token endpoint, or from another server to a short request.
package struct TokenAnswer: Sendable {
    package var status: Int
    package var body: [UInt8]
    package var headers: [HeaderField]
    /// Seconds that the server asked to wait.
    package var retryAfter: Double?
    /// The URL that redirects led to; nil if there were none.
    package var url: RequestURL?

    package init(status: Int, body: [UInt8], headers: [HeaderField] = [], retryAfter: Double? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.retryAfter = retryAfter
    }

    /// Its meaning, for a code as well as for a refresh token.
    package enum Verdict: Sendable, Equatable {
        /// The grant has no refresh token if the answer has none.
        case granted(AccountGrant, accountID: String?)
        /// The code or refresh token is not, or no longer, valid.
        case refused
        /// The validity of the code or token is unknown.
        case failed(TransferFailure)
    }

    private struct Grant: Decodable {
        var access_token: String
        var token_type: String?
        var expires_in: Double?
        var refresh_token: String?
        var account_id: String?
    }

    private struct Refusal: Decodable {
        var error: String
    }

    /// The longest text that counts as a token.
    private static let longestToken = 16_384

    /// - Parameters:
    ///   - server: host and port, for sentences. The sentences quote nothing from the answer, because a server may
    ///     repeat the request.
    ///   - now: when the request was sent: the token's lifetime may have begun then.
    /// - Returns: the verdict.
    package func verdict(server: String, now: Moment) -> Verdict {
        switch status {
        case 200..<300: granted(server, now)
        case 408, 429, 500...:
            .failed(.init(.serverBusy, "\(server) answered \(status) to a sign-in", retryAfter: retryAfter))
        case 300..<400:
            .failed(.init(.redirectRefused, "\(server) redirects sign-ins elsewhere, and tokens are not sent there"))
        default: refused(server)
        }
    }

    private func granted(_ server: String, _ now: Moment) -> Verdict {
        guard let grant = try? ForeignJSON.decode(Grant.self, from: body),
            Self.isToken(grant.access_token), grant.refresh_token.map(Self.isToken) ?? true,
            grant.token_type?.lowercased() ?? "bearer" == "bearer"
        else { return .failed(.init(.serverMisbehaves, "\(server) answered a sign-in without a token")) }
        let expiry = grant.expires_in.map { Deadline(setAt: now, delay: $0.isFinite ? $0 : 0) }
        return .granted(
            AccountGrant(accessToken: grant.access_token, expiry: expiry, refreshToken: grant.refresh_token),
            accountID: grant.account_id
        )
    }

    /// RFC 6749, section 5.2. Only words defined by the standard are repeated.
    private func refused(_ server: String) -> Verdict {
        let word = (try? ForeignJSON.decode(Refusal.self, from: body))?.error
        switch word {
        case "invalid_grant": return .refused
        case "invalid_client", "unauthorized_client":
            return .failed(.init(.accountUnusable, "\(server) does not know the app key, or refuses the app"))
        case "invalid_request", "unsupported_grant_type", "invalid_scope":
            let known = word ?? ""
            return .failed(.init(.accountUnusable, "\(server) refused a sign-in (\(known), status \(status))"))
        default: return .failed(.init(.accountUnusable, "\(server) refused a sign-in (status \(status))"))
        }
    }

    /// Visible ASCII: a token is put into a header.
    private static func isToken(_ text: String) -> Bool {
        (1...longestToken).contains(text.utf8.count) && text.utf8.allSatisfy { (33...126).contains($0) }
    }
}
