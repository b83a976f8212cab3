// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A file as a Metalink describes it (RFC 5854): its name, its length, its SHA-256 and where it is.
package struct MetalinkFile: Sendable, Equatable {
    /// As it is written: made safe by `safeName`.
    package var name: String
    package internal(set) var size: Int64?
    package internal(set) var checksum: Checksum?
    /// Whether there are hashes of other kinds, which are not checked.
    package internal(set) var hasOtherHashes = false
    /// As they are written, the best first; those with the same priority in the order of the document.
    package internal(set) var urls: [String] = []

    /// The name without folders, as for a name that a server gives; nil if nothing is left of it.
    package var safeName: String? { SafeFileName.of(name) }
}
