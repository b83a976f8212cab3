// SPDX-License-Identifier: Apache-2.0

extension TransferReceipt {
    /// The evidence that a file is the one that was transferred, strongest first.
    package enum Evidence: String, Sendable, Equatable {
        /// Its SHA-256, or the SHA-256 of its parts' digests.
        case sha256
        /// Its CRC32C, which detects accidental damage, but not forgery.
        case crc32c
        /// Its server counts versions, and the version is unchanged.
        case version
        /// Its server gives each content a different ETag, and the ETag is unchanged.
        case entityTag
        /// Its server reports when the file was last changed, and the date is unchanged.
        case lastModified
    }

    /// Similarities that prove nothing.
    package enum Likeness: Sendable, Equatable {
        /// The receipt and the server have nothing in common to compare.
        case nothing
        case length
        /// The length, and a weak ETag, which contents that a server considers equivalent share (RFC 9110, section
        /// 8.8.1).
        case weakTag
    }

    /// The result of comparing a receipt with the server's object.
    package enum Finding: Sendable, Equatable {
        /// It is the file that was transferred.
        case same(by: Evidence)
        /// The server has no such file.
        case missing
        case otherSize(Int64)
        case otherDigest(String, FileDigest)
        /// Different content, or the same in parts of another size. The number of parts is the same.
        case otherParts(String, FileDigest)
        case otherChecksum(CRC32C, now: CRC32C)
        /// Different content, or the same stored again.
        case otherVersion(String, now: String)
        case otherTag(String, now: String)
        case otherDate(String, now: String)
        /// No difference is known, but nothing is proven.
        case alike(Likeness)
    }

    /// Compares the server's object with the transferred file.
    ///
    /// A digest of the content counts for more than a version or an ETag from the server, which also change when the
    /// same content is stored again, or in other parts.
    package func compared(with object: StoredObject?) -> Finding {
        guard let object else { return .missing }
        if let size = object.size, size != bytes { return .otherSize(size) }
        if let digest = object.digest,
            let own = digests.first(where: { $0.partSize == digest.partSize })
        {
            if own == digest { return .same(by: .sha256) }
            return own.dependsOnContentAlone ? .otherDigest(digest.sha256, own) : .otherParts(digest.sha256, own)
        }
        if let now = object.crc32c, let own = crc32c?.checksum {
            return now == own ? .same(by: .crc32c) : .otherChecksum(own, now: now)
        }
        if let now = object.version, let version {
            return now == version ? .same(by: .version) : .otherVersion(version, now: now)
        }
        return comparedByHeaders(object)
    }

    /// Compares HTTP's metadata of a file.
    private func comparedByHeaders(_ object: StoredObject) -> Finding {
        var likeness = object.size == nil ? Likeness.nothing : .length
        if let now = object.entityTag, let entityTag {
            guard Self.opaque(now) == Self.opaque(entityTag) else { return .otherTag(entityTag, now: now) }
            if now == entityTag, !Self.isWeak(now) { return .same(by: .entityTag) }
            if likeness == .length { likeness = .weakTag }
        }
        guard let now = object.lastModified, let lastModified else { return .alike(likeness) }
        return now == lastModified ? .same(by: .lastModified) : .otherDate(lastModified, now: now)
    }

    private static let weakMark = "W/"

    /// Some servers write the weak mark in lower case.
    private static func isWeak(_ tag: String) -> Bool { tag.prefix(weakMark.count).uppercased() == weakMark }

    private static func opaque(_ tag: String) -> Substring { isWeak(tag) ? tag.dropFirst(weakMark.count) : tag[...] }
}
