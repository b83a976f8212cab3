// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What the life of an app means for its background sessions: when they are told something, and when not.
struct SessionsOfApps: Sendable {
    private let sessions: any AppSessions

    init(_ sessions: any AppSessions) { self.sessions = sessions }

    /// Names who is told when sessions need their apps; before anything has begun.
    func start(_ sink: @escaping @Sendable (AppNotice) -> Void) { sessions.assumeIsolated { $0.setAppSink(sink) } }

    /// From now on the app is told nothing of its sessions, until `deliver`.
    func withhold(from app: SupervisedApp) {
        let (id, process) = (app.id, app.life.registration.process?.identity)
        sessions.assumeIsolated { $0.withhold(id, from: process) }
    }

    /// The app may hear of one of its sessions, or of all when there is none named.
    func deliver(to app: SupervisedApp, session: String?) {
        let id = app.id
        sessions.assumeIsolated { $0.deliver(id, session: session) }
    }

    /// The app is being told to handle the session's events.
    func told(_ app: SupervisedApp, session: String) {
        let id = app.id
        sessions.assumeIsolated { $0.told(id, session: session) }
    }

    /// The session's completion handler was called: it is called for the same no more.
    func handled(_ app: SupervisedApp, session: String) {
        let id = app.id
        sessions.assumeIsolated { $0.handled(id, session: session) }
    }

    /// Takes in what the app has handed over and not told of: stopped, it will not.
    func takeInUntold(of app: SupervisedApp) {
        let id = app.id
        sessions.assumeIsolated { $0.takeInUntold(of: id) }
    }

    // MARK: Its transfers

    /// Tasks of an app that have not ended.
    func outstanding(of app: String) -> Int { sessions.assumeIsolated { $0.outstanding(of: app) } }

    /// The same of each app that has any.
    var outstandingByApp: [String: Int] { sessions.assumeIsolated { $0.outstandingByApp } }

    /// Cancels the transfers of an app that was quit; returns how many that were, durably.
    func cancelAllForQuit(_ app: String, ending process: ProcessIdentity?) async -> Int {
        await sessions.cancelAllForQuit(app, ending: process)
    }

    /// Waits until all that was still to be taken in is cancelled, too; false when the daemon stops first.
    func restIsCancelled(of app: String) async -> Bool { await sessions.restIsCancelled(of: app) }
}
