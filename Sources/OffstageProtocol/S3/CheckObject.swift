// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Asks the S3 server of a completed transfer what it has of the object now.
package struct CheckObject: WireRequest {
    package static let name = "s3.checkObject"
    package struct Reply: Codable, Sendable, Equatable {
        /// Nil if there is no such object.
        package var object: StoredObject?
        package init(object: StoredObject?) { self.object = object }
    }
    package var id: TransferID

    package init(id: TransferID) { self.id = id }
}
