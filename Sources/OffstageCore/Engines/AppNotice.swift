// SPDX-License-Identifier: Apache-2.0

/// What the life of an app has to know of its background sessions.
package enum AppNotice: Sendable, Equatable {
    /// The session's last outstanding task has ended, or one waits for the app's decision, and its delegate has not
    /// been told. Told once for all that has come about, until `AppSessions.handled`.
    case needsApp(app: String, session: String)
    /// The app need not be called for the session any more: it has what it was to be called for, or nothing is left.
    case settled(app: String, session: String)
}
