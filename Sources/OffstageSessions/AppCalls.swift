// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Decides which apps are called for which of their sessions, by the rule `SessionWakes`, and notifies their life
/// cycles.
///
/// Belongs to `SessionCenter`; every call is on the loop.
final class AppCalls {
    private var wakes = SessionWakes()
    private var sink: (@Sendable (AppNotice) -> Void)?
    /// Sessions whose delegates have received ends since the last check whether these were all.
    private var acknowledged: Set<SessionName> = []
    /// Whether apps may be called for events that the daemon before left.
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

    /// From now on apps are called, first for these sessions that the daemon before left.
    func begin(waiting: [SessionName]) { for notice in wakes.begin(waiting: waiting) { deliver(notice) } }

    // MARK: Tasks

    /// Tasks of an app that have not ended.
    func outstanding(of app: String) -> Int { wakes.outstanding(of: app) }
    /// The same for each app that has any.
    var outstandingByApp: [String: Int] { wakes.outstandingByApp }

    func added(_ count: Int, in session: SessionName) { wakes.added(count, in: session) }

    /// A task has ended.
    ///
    /// - Parameters:
    ///   - transfer: the task.
    ///   - session: the session of the task.
    ///   - isSent: whether the holder of the session is being notified.
    func ended(_ transfer: Transfer, in session: SessionName, isSent: Bool) {
        let launches = transfer.spec.sendsLaunchEvents
        deliver(wakes.ended(transfer.id, in: session, sendsLaunchEvents: launches, isSent: isSent))
    }

    /// A task waits for its app's decision.
    func asked(_ transfer: Transfer, in session: SessionName) {
        deliver(wakes.asked(transfer.id, in: session, sendsLaunchEvents: transfer.spec.sendsLaunchEvents))
    }

    /// A task no longer waits for its app's decision.
    func decided(_ id: TransferID, in session: SessionName) { deliver(wakes.decided(id, in: session)) }

    // MARK: What apps have heard

    /// The number of ends that a page of them covers, for `sent`.
    func ends(of session: SessionName) -> Int { wakes.ends(of: session) }
    /// The holder of the session was sent all ends up to this number.
    func sent(_ session: SessionName, number: Int) { wakes.sent(session, number: number) }
    /// The former holder of the session did not receive the events, or no longer holds the session.
    func lost(_ session: SessionName) { wakes.lost(session) }
    /// The app is being asked to handle the session's events.
    func notified(_ session: SessionName) { wakes.notified(session) }

    /// The app has handled the session's events; returns whether the next daemon has to know that.
    func handled(_ session: SessionName) -> Bool {
        let (isLasting, next) = wakes.handled(session)
        deliver(next)
        return isLasting
    }

    /// Delegates have received ends: their apps may have got everything that they were called for.
    func acknowledged(in sessions: Set<SessionName>) { acknowledged.formUnion(sessions) }

    func takeAcknowledged() -> Set<SessionName> {
        defer { acknowledged = [] }
        return acknowledged
    }

    /// If it matters whether the app has received all ends, the number to answer with.
    func lookUp(_ session: SessionName) -> Int? { wakes.lookUp(session) }

    /// The answer to `lookUp`.
    func lookedUp(_ session: SessionName, hasEnds: Bool, number: Int) {
        deliver(wakes.lookedUp(session, hasEnds: hasEnds, number: number))
    }
}
