// SPDX-License-Identifier: Apache-2.0
import Foundation
package import OffstageClient
package import OffstageProtocol

/// Sends requests to the daemon over the app's link, which blocks the caller, but not for long; starts a daemon if none
/// is running. May be called from any thread but the link's; one request at a time.
package final class BlockingClient: Sendable {
    /// The time limit for an answer, in seconds, whatever causes the delay.
    private static let patience = 10.0

    private let turn = NSLock()

    package init() {}

    /// Sends a request and waits for the answer; the app is not suspended in the meantime. If the connection breaks
    /// because the daemon has exited, the request is repeated once to the next daemon.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - again: the request to repeat with; nil for the same.
    ///   - seconds: the time limit for the answer; nil for as long as a person would wait.
    ///   - startsDaemon: whether to start a daemon if none is running.
    /// - Returns: the answer.
    /// - Throws: the daemon's refusal, or why there is no answer.
    package func ask<Request: WireRequest>(
        _ request: Request,
        again: Request? = nil,
        within seconds: Double? = nil,
        startsDaemon: Bool = true
    ) throws(OffstageError) -> Request.Reply {
        try AppCode.current.run { () throws(OffstageError) in
            let patience = seconds ?? Self.patience
            let end = ContinuousClock.now + .seconds(patience)
            guard turn.lock(before: Date(timeIntervalSinceNow: patience)) else {
                throw OffstageError(.timedOut, "its socket", detail: "another request of the app is waiting for it")
            }
            defer { turn.unlock() }
            return try AppLink.shared(OriginalEnvironment.variables).ask(
                request,
                again: again,
                within: max(0, (end - .now) / .seconds(1)),
                startsDaemon: startsDaemon
            )
        }
    }
}
