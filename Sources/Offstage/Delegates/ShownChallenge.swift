// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore

/// A server's challenge in Foundation's terms: how it is presented to a delegate, and what the delegate's decision
/// means to the daemon.
struct ShownChallenge: Sendable {
    private let challenge: Challenge
    private let space: URLProtectionSpace
    /// The credential that the app has stored for the challenge.
    private let proposed: URLCredential?

    /// - Parameters:
    ///   - challenge: the server's demand or certificates.
    ///   - credentials: the app's credential storage; nil if it has none.
    init(_ challenge: Challenge, _ credentials: URLCredentialStorage?) {
        self.challenge = challenge
        space = Self.space(of: challenge)
        proposed = credentials?.defaultCredential(for: space)
    }

    /// The challenge to pass to a delegate; `sender` receives the decision.
    func question(_ sender: ChallengeSender) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: space,
            proposedCredential: proposed,
            previousFailureCount: challenge.previousFailures,
            failureResponse: nil,
            error: nil,
            sender: sender
        )
    }

    private static func space(of challenge: Challenge) -> URLProtectionSpace {
        switch challenge.method {
        case .serverTrust(let certificates):
            ServerTrustSpace(
                host: challenge.host,
                port: challenge.port,
                trust: SecTrust(certificates: certificates.map { SecCertificate(der: Data($0.bytes)) })
            )
        case .httpBasic, .httpDigest:
            URLProtectionSpace(
                host: challenge.host,
                port: challenge.port,
                protocol: challenge.isSecure ? NSURLProtectionSpaceHTTPS : NSURLProtectionSpaceHTTP,
                realm: challenge.realm,
                authenticationMethod: challenge.method == .httpBasic
                    ? NSURLAuthenticationMethodHTTPBasic : NSURLAuthenticationMethodHTTPDigest
            )
        }
    }

    /// The answer that a delegate's decision amounts to.
    func answer(
        _ disposition: URLSession.AuthChallengeDisposition,
        _ credential: URLCredential?
    ) -> DelegateAnswer {
        switch disposition {
        case .useCredential:
            guard let credential else { return .performDefaultHandling }
            if case .serverTrust(let certificates) = challenge.method {
                // A credential that trusts no specific key trusts the certificate that was shown.
                let shown = certificates.first.map { SecCertificate(der: Data($0.bytes)) }?.keyHash
                return (credential.trustedKey ?? shown).map { .trustKey($0) } ?? .cancel
            }
            return Self.named(credential) ?? .performDefaultHandling
        case .performDefaultHandling:
            // Only once: a credential that was rejected is not tried again.
            guard challenge.previousFailures == 0, let proposed else { return .performDefaultHandling }
            return Self.named(proposed) ?? .performDefaultHandling
        case .cancelAuthenticationChallenge: return .cancel
        case .rejectProtectionSpace: return .performDefaultHandling
        }
    }

    private static func named(_ credential: URLCredential) -> DelegateAnswer? {
        guard let user = credential.user, credential.trustedKey == nil else { return nil }
        return .credential(user: user, password: credential.password ?? "")
    }
}
