// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore
import OffstageProtocol

/// What only the app can decide. The delegate answers in its own time; the answer goes through the journal.
extension SessionCore {
    func ask(_ id: TransferID, _ number: Int, _ question: DelegateQuestion) {
        guard let audience, let task = task(number), audience.delegate != nil else {
            return answer(id, Self.defaultAnswer(to: question))
        }
        switch question {
        case .challenge(let challenge): ask(id, task, challenge, audience)
        case .willBeginDelayedRequest: askToBegin(id, task, audience)
        }
    }

    private func answer(_ id: TransferID, _ answer: DelegateAnswer) {
        _ = try? hub.append(.answer(id, answer))
    }

    private static func defaultAnswer(to question: DelegateQuestion) -> DelegateAnswer {
        switch question {
        case .challenge: .performDefaultHandling
        case .willBeginDelayedRequest: .continueLoading
        }
    }

    // MARK: - Challenges

    private func ask(_ id: TransferID, _ task: any BackgroundTask, _ challenge: Challenge, _ audience: Audience) {
        let space = Self.space(of: challenge)
        let proposed = settings.credentials?.defaultCredential(for: space)
        let sender = ChallengeSender { [self] disposition, credential in
            answer(id, Self.answer(disposition, credential, proposed, challenge))
        }
        let question = URLAuthenticationChallenge(
            protectionSpace: space,
            proposedCredential: proposed,
            previousFailureCount: challenge.previousFailures,
            failureResponse: nil,
            error: nil,
            sender: sender
        )
        let completion: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            sender.decide($0, $1)
        }
        // What is about the connection goes to the session, what is about the request to the task, and nowhere else.
        switch challenge.method {
        case .serverTrust:
            guard let delegate = audience.delegate else { return completion(.performDefaultHandling, nil) }
            delegate.urlSession(audience.session, didReceive: question, completionHandler: completion)
        case .httpBasic, .httpDigest:
            guard let delegate = audience.task else { return completion(.performDefaultHandling, nil) }
            delegate.urlSession(audience.session, task: task, didReceive: question, completionHandler: completion)
        }
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

    private static func answer(
        _ disposition: URLSession.AuthChallengeDisposition,
        _ credential: URLCredential?,
        _ proposed: URLCredential?,
        _ challenge: Challenge
    ) -> DelegateAnswer {
        switch disposition {
        case .useCredential:
            guard let credential else { return .performDefaultHandling }
            if case .serverTrust(let certificates) = challenge.method {
                // A credential that trusts nothing in particular trusts what was shown.
                let shown = certificates.first.map { SecCertificate(der: Data($0.bytes)) }?.keyHash
                return (credential.trustedKey ?? shown).map { .trustKey($0) } ?? .cancel
            }
            return named(credential) ?? .performDefaultHandling
        case .performDefaultHandling:
            // Only once: a credential that was tried and refused is not tried again.
            guard challenge.previousFailures == 0, let proposed else { return .performDefaultHandling }
            return named(proposed) ?? .performDefaultHandling
        case .cancelAuthenticationChallenge: return .cancel
        case .rejectProtectionSpace: return .performDefaultHandling
        }
    }

    private static func named(_ credential: URLCredential) -> DelegateAnswer? {
        guard let user = credential.user, credential.trustedKey == nil else { return nil }
        return .credential(user: user, password: credential.password ?? "")
    }

    // MARK: - Delayed requests

    private func askToBegin(_ id: TransferID, _ task: any BackgroundTask, _ audience: Audience) {
        guard let delegate = audience.task, let request = task.core.currentRequest else {
            return answer(id, .continueLoading)
        }
        delegate.urlSession(audience.session, task: task, willBeginDelayedRequest: request) { [self] choice, new in
            switch choice {
            case .continueLoading: answer(id, .continueLoading)
            case .cancel: answer(id, .cancel)
            case .useNewRequest:
                guard let new, let text = new.url?.absoluteString, let url = try? RequestURL(text) else {
                    return answer(id, .cancel)
                }
                task.core.replaceCurrentRequest(new)
                let headers = settings.headers(of: new)
                answer(id, .useNewRequest(url: url, method: new.httpMethod ?? "GET", headers: headers))
            }
        }
    }
}
