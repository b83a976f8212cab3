// SPDX-License-Identifier: Apache-2.0

/// A digest of a part of the source that a dialect needs, such as the checksum of a chunk that is sent along with it.
package struct SourceDigest: Sendable, Hashable {
    /// The algorithms that servers ask for.
    package enum Algorithm: String, Sendable, Hashable, Codable, CaseIterable {
        case md5, sha1, sha256
        /// Four bytes, the highest first.
        case crc32c
    }

    /// Bytes of the source.
    package var range: Range<Int64>
    package var algorithm: Algorithm

    package init(_ algorithm: Algorithm, of range: Range<Int64>) {
        self.algorithm = algorithm
        self.range = range
    }
}
