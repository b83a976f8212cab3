// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Asks the server of a completed transfer about its current copy of the file.
package struct CheckObject: WireRequest {
    package static let name = "check"
    package struct Reply: Codable, Sendable, Equatable {
        /// Nil if it has none.
        package var object: StoredObject?
        package init(object: StoredObject?) { self.object = object }
    }
    package var id: TransferID

    package init(id: TransferID) { self.id = id }
}
