// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageProtocol

/// The page's bounds for what it asks the daemon.
extension DaemonLine {
    /// Sends a request, unless too many are under way.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - take: receives the answer, or why there is none; called once, later or at once.
    func put<R: WireRequest>(_ request: R, _ take: @escaping (Result<R.Reply, OffstageError>) -> Void) {
        guard awaited < PageBounds.questions else {
            return take(.failure(OffstageError(.tooManyConnections, PageRefusal.busy.sentence)))
        }
        // checked: two of our own times
        ask(request, until: PageClock.now + PageBounds.patience, then: take)
        flush()
    }

    /// Sends what the socket accepts now, and gives up requests whose answer is late.
    func proceed() {
        flush()
        giveUpLate(now: PageClock.now, OffstageError(.timedOut, "its socket", detail: "it was given 30 s"))
    }
}
