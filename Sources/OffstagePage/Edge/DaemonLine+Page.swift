// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageProtocol

/// The page's limits on its requests to the daemon.
extension DaemonLine {
    /// Sends a request, unless too many are under way.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - take: receives the answer, or why there is none; called once, either immediately or later.
    func put<R: WireRequest>(_ request: R, _ take: @escaping (Result<R.Reply, OffstageError>) -> Void) {
        guard awaited < PageBounds.questions else {
            return take(.failure(OffstageError(.tooManyConnections, PageRefusal.busy.sentence)))
        }
        // checked: two of our own times
        ask(request, until: PageClock.now + PageBounds.patience, then: take)
        flush()
    }

    /// Sends as much as the socket accepts, and gives up on requests whose answers are late.
    func proceed() {
        flush()
        giveUpLate(now: PageClock.now, OffstageError(.timedOut, "its socket", detail: "it was given 30 s"))
    }
}
