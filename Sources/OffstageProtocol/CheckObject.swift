// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Asks the server of a completed transfer what it has of the file now.
package struct CheckObject: WireRequest {
    package static let name = "check"
    package struct Reply: Codable, Sendable, Equatable {
        /// Nil if there is nothing.
        package var object: StoredObject?
        package init(object: StoredObject?) { self.object = object }
    }
    package var id: TransferID

    package init(id: TransferID) { self.id = id }
}
