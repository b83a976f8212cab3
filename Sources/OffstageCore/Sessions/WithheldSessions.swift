// SPDX-License-Identifier: Apache-2.0

/// Of which sessions nothing is told for the present: their apps are stopped, or have been launched and not been told
/// that there is something to hear.
///
/// It is the app's process on stage that hears nothing: others of the same program, which nobody stops, go on.
package struct WithheldSessions: Sendable, Equatable {
    private struct App: Sendable, Equatable {
        /// From whom; nil for one that is just being launched.
        var process: ProcessIdentity?
        /// Those that ran before it was launched.
        var others: Set<ProcessIdentity>
        /// The sessions that may go on.
        var delivered: Set<String> = []
    }

    private var apps: [String: App] = [:]

    package init() {}

    /// - Parameters:
    ///   - session: the session.
    ///   - holder: the process that has it; nil when none does.
    /// - Returns: whether nothing of it is told.
    package func contains(_ session: SessionName, holder: ProcessIdentity?) -> Bool {
        guard let app = apps[session.app], !app.delivered.contains(session.identifier) else { return false }
        guard let holder else { return true }
        return app.process.map { $0 == holder } ?? !app.others.contains(holder)
    }

    /// Withholds all sessions of an app from its process.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - process: its process on stage; nil for one that is just being launched.
    ///   - others: processes that are certainly not that.
    package mutating func withhold(_ app: String, from process: ProcessIdentity?, others: Set<ProcessIdentity> = []) {
        apps[app] = App(process: process, others: process == nil ? others : [])
    }

    /// Lets one session of an app go on, or all of them.
    package mutating func deliver(_ app: String, session: String?) {
        if let session { apps[app]?.delivered.insert(session) } else { apps[app] = nil }
    }
}
