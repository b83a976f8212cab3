// SPDX-License-Identifier: Apache-2.0

/// The sessions whose events are withheld at present: their apps are stopped, or were launched and not yet notified of
/// events.
///
/// Only the app's process on stage receives nothing. Other processes of the same program, which are not stopped,
/// continue.
package struct WithheldSessions: Sendable, Equatable {
    private struct App: Sendable, Equatable {
        /// The process; nil while it is being launched.
        var process: ProcessIdentity?
        /// The processes that ran before it was launched.
        var others: Set<ProcessIdentity>
        /// The sessions that may continue.
        var delivered: Set<String> = []
    }

    private var apps: [String: App] = [:]

    package init() {}

    /// - Parameters:
    ///   - session: the session.
    ///   - holder: the process that holds it; nil if none does.
    /// - Returns: whether its events are withheld.
    package func contains(_ session: SessionName, holder: ProcessIdentity?) -> Bool {
        guard let app = apps[session.app], !app.delivered.contains(session.identifier) else { return false }
        guard let holder else { return true }
        return app.process.map { $0 == holder } ?? !app.others.contains(holder)
    }

    /// Withholds all sessions of an app from its process.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - process: its process on stage; nil while it is being launched.
    ///   - others: processes that are certainly not the app's.
    package mutating func withhold(_ app: String, from process: ProcessIdentity?, others: Set<ProcessIdentity> = []) {
        apps[app] = App(process: process, others: process == nil ? others : [])
    }

    /// Lets one session of an app continue, or all of them.
    package mutating func deliver(_ app: String, session: String?) {
        if let session { apps[app]?.delivered.insert(session) } else { apps[app] = nil }
    }
}
