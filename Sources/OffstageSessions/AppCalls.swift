// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Which apps are called for which of their sessions, and the word to their lives: the rule (`SessionWakes`), and who
/// hears what it says.
///
/// Belongs to `SessionCenter`; every call is on the loop.
final class AppCalls {
    private var wakes = SessionWakes()
    private var sink: (@Sendable (AppNotice) -> Void)?
    /// Sessions whose delegates have heard of ends since it was last looked whether that was all.
    private var acknowledged: Set<SessionName> = []
    /// Whether apps may be called for what the daemon before left.
    var mayBegin = false

    /// Names who is told, on the loop, when sessions need their apps.
    func start(_ sink: @escaping @Sendable (AppNotice) -> Void) { self.sink = sink }

    private func tell(_ notice: SessionWakes.Notice?) {
        switch notice {
        case .needsApp(let session)?: sink?(.needsApp(app: session.app, session: session.identifier))
        case .settled(let session)?: sink?(.settled(app: session.app, session: session.identifier))
        case nil: break
        }
    }

    /// Apps are called from now on, first for these sessions that the daemon before left.
    func begin(waiting: [SessionName]) { for notice in wakes.begin(waiting: waiting) { tell(notice) } }

    // MARK: Tasks

    /// Tasks of an app that have not ended.
    func outstanding(of app: String) -> Int { wakes.outstanding(of: app) }
    /// The same of each app that has any.
    var outstandingByApp: [String: Int] { wakes.outstandingByApp }

    func taken(_ count: Int, in session: SessionName) { wakes.taken(count, in: session) }

    /// A task has ended.
    ///
    /// - Parameters:
    ///   - transfer: the task.
    ///   - session: whose it is.
    ///   - isSent: whether whoever has the session is just being told.
    func ended(_ transfer: Transfer, in session: SessionName, isSent: Bool) {
        let launches = transfer.spec.sendsLaunchEvents
        tell(wakes.ended(transfer.id, in: session, sendsLaunchEvents: launches, isSent: isSent))
    }

    /// A task waits for its app's decision.
    func asked(_ transfer: Transfer, in session: SessionName) {
        tell(wakes.asked(transfer.id, in: session, sendsLaunchEvents: transfer.spec.sendsLaunchEvents))
    }

    /// A task does not wait for its app's decision any more.
    func decided(_ id: TransferID, in session: SessionName) { tell(wakes.decided(id, in: session)) }

    // MARK: What apps have heard

    /// The number of ends that a page of them covers, for `sent`.
    func ends(of session: SessionName) -> Int { wakes.ends(of: session) }
    /// Whoever has the session was sent all ends up to this number.
    func sent(_ session: SessionName, number: Int) { wakes.sent(session, number: number) }
    /// Whoever had the session does not hear what it was sent, or has it no more.
    func lost(_ session: SessionName) { wakes.lost(session) }
    /// The app is just being told to handle the session's events.
    func told(_ session: SessionName) { wakes.told(session) }

    /// The app has handled the session's events; returns whether a daemon that starts anew is to know that.
    func handled(_ session: SessionName) -> Bool {
        let (isLasting, next) = wakes.handled(session)
        tell(next)
        return isLasting
    }

    /// Delegates have heard of ends: their apps may have all that they were called for.
    func acknowledged(in sessions: Set<SessionName>) { acknowledged.formUnion(sessions) }

    func takeAcknowledged() -> Set<SessionName> {
        defer { acknowledged = [] }
        return acknowledged
    }

    /// Whether it decides anything if the app has been told of all ends: then the number to answer with.
    func lookUp(_ session: SessionName) -> Int? { wakes.lookUp(session) }

    /// The answer to `lookUp`.
    func lookedUp(_ session: SessionName, hasEnds: Bool, number: Int) {
        tell(wakes.lookedUp(session, hasEnds: hasEnds, number: number))
    }
}
