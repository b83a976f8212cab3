// SPDX-License-Identifier: Apache-2.0

/// The first request on every connection: no other request is answered before it.
///
/// Its form never changes, so any two versions can report clearly that they are incompatible.
package struct Hello: WireRequest {
    package static let name = "hello"
    /// Incremented when a message changes its meaning.
    package static let protocolVersion = 1

    package struct Reply: Codable, Sendable, Equatable {
        package var version: OffstageVersion
        package var protocolVersion: Int
        package var processID: Int32

        package init(version: OffstageVersion, protocolVersion: Int, processID: Int32) {
            self.version = version
            self.protocolVersion = protocolVersion
            self.processID = processID
        }
    }

    package var version: OffstageVersion
    package var protocolVersion: Int
    /// The connecting program: `offstage`, or an app's name.
    package var client: String

    package init(version: OffstageVersion = .current, protocolVersion: Int = Hello.protocolVersion, client: String) {
        self.version = version
        self.protocolVersion = protocolVersion
        self.client = client
    }
}

/// Asks an older daemon to commit, release everything and exit, so that a newer one can take its place.
///
/// Part of the never-changing core, like `Hello`: it is understood across protocol versions.
package struct HandOver: WireRequest {
    package static let name = "handover"
    package typealias Reply = Empty
    package init() {}
}
