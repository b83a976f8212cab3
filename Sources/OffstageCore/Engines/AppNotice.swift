// SPDX-License-Identifier: Apache-2.0

/// Notices for an app's life cycle about its background sessions.
package enum AppNotice: Sendable, Equatable {
    /// The session's last outstanding task has ended, or one waits for the app's decision, and its delegate has not
    /// been notified. Sent once for all events until `AppSessions.handled` is called.
    case needsApp(app: String, session: String)
    /// The app need no longer be called for the session: it has received the events, or none are left.
    case settled(app: String, session: String)
}
