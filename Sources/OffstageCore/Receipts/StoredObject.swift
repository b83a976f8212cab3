// SPDX-License-Identifier: Apache-2.0

/// A file or object as its server describes it now.
package struct StoredObject: Codable, Sendable, Equatable {
    /// The size in bytes; nil if the server does not report it.
    @WithinIfPresent<ByteCounts> package var size: Int64?
    /// The digest of its content.
    package var digest: FileDigest?
    package var crc32c: CRC32C?
    /// The version of the content: Dropbox's revision, or Google's generation.
    package var version: String?
    package var entityTag: String?
    /// `Last-Modified`, as the server wrote it.
    package var lastModified: String?
    /// Where it is now, for people, if not where it was sent.
    package var place: String?

    /// Ignores an invalid size.
    package init(
        size: Int64?,
        digest: FileDigest? = nil,
        crc32c: CRC32C? = nil,
        version: String? = nil,
        entityTag: String? = nil,
        lastModified: String? = nil,
        place: String? = nil
    ) {
        _size = WithinIfPresent(wrappedValue: size.flatMap { ByteCounts.range.contains($0) ? $0 : nil })
        self.digest = digest
        self.crc32c = crc32c
        self.version = version
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.place = place
    }
}
