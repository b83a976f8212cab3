// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Decides which apps are called for which of their sessions, using the rule `SessionWakes`, and notifies their life
/// cycles.
///
/// Belongs to `SessionCenter`; every call is on the loop.
final class AppCalls {
    private var wakes = SessionWakes()
    private var sink: (@Sendable (AppNotice) -> Void)?
    /// Sessions whose delegates have received ends since the last check for remaining ends.
    private var acknowledged: Set<SessionName> = []
    /// Whether apps may be called for events from the daemon before.
    var mayBegin = false

    /// Sets the handler that is called, on the loop, when sessions need their apps.
    func start(_ sink: @escaping @Sendable (AppNotice) -> Void) { self.sink = sink }

    private func deliver(_ notice: SessionWakes.Notice?) {
        switch notice {
        case .needsApp(let session)?: sink?(.needsApp(app: session.app, session: session.identifier))
        case .settled(let session)?: sink?(.settled(app: session.app, session: session.identifier))
        case nil: break
        }
    }

    /// Begins to call apps, starting with these sessions of the daemon before.
    func begin(waiting: [SessionName]) { for notice in wakes.begin(waiting: waiting) { deliver(notice) } }

    // MARK: Tasks

    /// The number of unfinished tasks of an app.
    func outstanding(of app: String) -> Int { wakes.outstanding(of: app) }
    /// The number of unfinished tasks of each app that has any.
    var outstandingByApp: [String: Int] { wakes.outstandingByApp }

    func added(_ count: Int, in session: SessionName) { wakes.added(count, in: session) }

    /// Handles the end of a task.
    ///
    /// - Parameters:
    ///   - transfer: the task.
    ///   - session: the session of the task.
    ///   - isSent: whether the holder of the session is being notified.
    func ended(_ transfer: Transfer, in session: SessionName, isSent: Bool) {
        let launches = transfer.spec.sendsLaunchEvents
        deliver(wakes.ended(transfer.id, in: session, sendsLaunchEvents: launches, isSent: isSent))
    }

    /// Handles a task that waits for its app's decision.
    func asked(_ transfer: Transfer, in session: SessionName) {
        deliver(wakes.asked(transfer.id, in: session, sendsLaunchEvents: transfer.spec.sendsLaunchEvents))
    }

    /// Handles the decision on a task that waited for it.
    func decided(_ id: TransferID, in session: SessionName) { deliver(wakes.decided(id, in: session)) }

    // MARK: Calls that apps have received

    /// The number of ends that a page covers, for `sent`.
    func ends(of session: SessionName) -> Int { wakes.ends(of: session) }
    /// Records that the holder of the session was sent all ends up to this number.
    func sent(_ session: SessionName, number: Int) { wakes.sent(session, number: number) }
    /// Records that the former holder of the session did not receive the events, or no longer holds the session.
    func lost(_ session: SessionName) { wakes.lost(session) }
    /// Records that the app is being asked to handle the session's events.
    func notified(_ session: SessionName) { wakes.notified(session) }

    /// Records that the app has handled the session's events; returns whether the next daemon needs to know that.
    func handled(_ session: SessionName) -> Bool {
        let (isLasting, next) = wakes.handled(session)
        deliver(next)
        return isLasting
    }

    /// Records that delegates have received ends: their apps may have received everything that they were called for.
    func acknowledged(in sessions: Set<SessionName>) { acknowledged.formUnion(sessions) }

    func takeAcknowledged() -> Set<SessionName> {
        defer { acknowledged = [] }
        return acknowledged
    }

    /// The number for the answer, if it matters whether the app has received all ends.
    func lookUp(_ session: SessionName) -> Int? { wakes.lookUp(session) }

    /// Handles the answer to `lookUp`.
    func lookedUp(_ session: SessionName, hasEnds: Bool, number: Int) {
        deliver(wakes.lookedUp(session, hasEnds: hasEnds, number: number))
    }
}
