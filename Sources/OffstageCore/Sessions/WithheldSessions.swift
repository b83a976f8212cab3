// SPDX-License-Identifier: Apache-2.0

/// Of which sessions nothing is told for the present: their apps are stopped, or have been launched and not been told
/// that there is something to hear.
package struct WithheldSessions: Sendable, Equatable {
    /// Apps from which all is withheld but these of their sessions.
    private var apps: [String: Set<String>] = [:]

    package init() {}

    package func contains(_ session: SessionName) -> Bool {
        apps[session.app].map { !$0.contains(session.identifier) } ?? false
    }

    package mutating func withhold(_ app: String) { apps[app] = [] }

    /// Lets one session of an app go on, or all of them.
    package mutating func deliver(_ app: String, session: String?) {
        if let session { apps[app]?.insert(session) } else { apps[app] = nil }
    }
}
