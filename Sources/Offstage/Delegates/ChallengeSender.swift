// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Synchronization

/// Receives the decision about a challenge, however it is made; only the first decision counts.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
    typealias Decision = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    private let pending: Mutex<Decision?>

    init(_ decision: @escaping Decision) { pending = Mutex(decision) }

    func decide(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
        let decision = pending.withLock { pending in
            defer { pending = nil }
            return pending
        }
        decision?(disposition, credential)
    }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
        decide(.useCredential, credential)
    }

    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { decide(.performDefaultHandling, nil) }

    func cancel(_ challenge: URLAuthenticationChallenge) { decide(.cancelAuthenticationChallenge, nil) }

    func performDefaultHandling(for challenge: URLAuthenticationChallenge) { decide(.performDefaultHandling, nil) }

    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
        decide(.rejectProtectionSpace, nil)
    }
}
