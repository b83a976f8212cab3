// SPDX-License-Identifier: Apache-2.0

/// One background session: its app, and the identifier that the app gave it.
package struct SessionName: Sendable, Hashable {
    package var app: String
    package var identifier: String

    package init(app: String, identifier: String) {
        self.app = app
        self.identifier = identifier
    }

    /// The longest identifier, in bytes.
    package static let longestIdentifier = 1024

    /// Why the identifier cannot be used; nil if it can.
    package var problem: String? {
        if identifier.isEmpty { return "A background session needs an identifier that is not empty." }
        if identifier.utf8.count > Self.longestIdentifier || identifier.utf8.contains(0) {
            return "The identifier of a background session has at most \(Self.longestIdentifier) bytes, none of them 0."
        }
        return nil
    }
}

extension Transfer {
    /// The session that the task belongs to.
    package var sessionName: SessionName? {
        spec.sessionTask.map { SessionName(app: spec.owner, identifier: $0.session) }
    }
}
