// SPDX-License-Identifier: Apache-2.0
import Foundation
package import OffstageClient
package import OffstageProtocol

/// Asks the daemon over the app's link, which blocks the caller, but not for long; starts a daemon where none runs. From
/// any thread but the link's, one at a time.
package final class DaemonDesk: Sendable {
    /// Seconds until there has to be an answer, whatever it is that takes the time.
    private static let patience = 10.0

    private let turn = NSLock()

    package init() {}

    /// Asks and waits; the app is not suspended meanwhile. When the connection breaks, because the daemon has gone
    /// meanwhile, the next is asked once.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - again: what is asked then; nil for the same.
    ///   - seconds: until there has to be an answer; nil for as many as people wait.
    ///   - startsDaemon: whether one is started where none runs.
    /// - Returns: the answer.
    /// - Throws: the daemon's refusal, and why there is no answer.
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
                throw OffstageError(.timedOut, "its socket", detail: "another question of the app waits for it")
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
