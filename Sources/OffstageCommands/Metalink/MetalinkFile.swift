// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A file described by a Metalink (RFC 5854): its name, length, SHA-256 and addresses.
package struct MetalinkFile: Sendable, Equatable {
    /// The name in the document, which `safeName` makes safe.
    package var name: String
    package internal(set) var size: Int64?
    package internal(set) var checksum: Checksum?
    /// Whether there are hashes of other kinds, which are not checked.
    package internal(set) var hasOtherHashes = false
    /// The addresses in the document, best first. Addresses of equal priority are in the document's order.
    package internal(set) var urls: [String] = []

    /// The name without folders, as for a name from a server; nil if nothing is left of it.
    package var safeName: String? { SafeFileName.of(name) }
}
