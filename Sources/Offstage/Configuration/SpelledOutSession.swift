// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking

/// Fails the tasks of a session that was made as `URLSession.init(configuration:…)` with a background configuration.
///
/// Spelled out like that, Swift calls FoundationNetworking's initializer, which cannot be replaced. The resulting
/// session would run in the foreground without any warning.
final class SpelledOutSession: URLProtocol {
    static let sentence =
        "A background session cannot be made with URLSession.init(…) or .init(…) on Linux: write URLSession(configuration:delegate:delegateQueue:)."

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canInit(with task: URLSessionTask) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let error = URLError(
            .backgroundSessionWasDisconnected,
            userInfo: [NSLocalizedDescriptionKey: Self.sentence]
        )
        StandardError.write("Offstage: \(Self.sentence)")
        client?.urlProtocol(self, didFailWithError: error)
    }

    override func stopLoading() {}
}
