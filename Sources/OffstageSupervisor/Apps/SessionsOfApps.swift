// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The effect of an app's life cycle on its background sessions: when they receive events and when they do not.
struct SessionsOfApps: Sendable {
    private let sessions: any AppSessions

    init(_ sessions: any AppSessions) { self.sessions = sessions }

    /// Sets the handler for sessions that need their apps; called before anything begins.
    func start(_ sink: @escaping @Sendable (AppNotice) -> Void) { sessions.assumeIsolated { $0.setAppSink(sink) } }

    /// Withholds the events of the app's sessions from now on, until `deliver`.
    func withhold(from app: SupervisedApp) {
        let (id, process) = (app.id, app.life.registration.process?.identity)
        sessions.assumeIsolated { $0.withhold(id, from: process) }
    }

    /// Allows events of one of the app's sessions, or of all if there is no name.
    func deliver(to app: SupervisedApp, session: String?) {
        let id = app.id
        sessions.assumeIsolated { $0.deliver(id, session: session) }
    }

    /// Records that the app is being asked to handle the session's events.
    func notified(_ app: SupervisedApp, session: String) {
        let id = app.id
        sessions.assumeIsolated { $0.notified(id, session: session) }
    }

    /// Records that the session's completion handler was called: the app is not called again for the same events.
    func handled(_ app: SupervisedApp, session: String) {
        let id = app.id
        sessions.assumeIsolated { $0.handled(id, session: session) }
    }

    /// Accepts records that the app wrote without ringing, because it is stopped.
    func acceptUnannounced(of app: SupervisedApp) {
        let id = app.id
        sessions.assumeIsolated { $0.acceptUnannounced(of: id) }
    }

    // MARK: Its transfers

    /// The number of unfinished tasks of an app.
    func outstanding(of app: String) -> Int { sessions.assumeIsolated { $0.outstanding(of: app) } }

    /// The number of unfinished tasks of each app that has any.
    var outstandingByApp: [String: Int] { sessions.assumeIsolated { $0.outstandingByApp } }

    /// Cancels the transfers of an app that was quit; returns their number once this is durable.
    func cancelAllForQuit(_ app: String, ending process: ProcessIdentity?) async -> Int {
        await sessions.cancelAllForQuit(app, ending: process)
    }

    /// Waits until the tasks that had not been accepted are cancelled, too; false if the daemon stops first.
    func restIsCancelled(of app: String) async -> Bool { await sessions.restIsCancelled(of: app) }
}
