// SPDX-License-Identifier: Apache-2.0

/// An object as its server describes it now.
package struct StoredObject: Codable, Sendable, Equatable {
    /// Bytes; nil if the server does not say.
    @WithinIfPresent<ByteCounts> package var size: Int64?
    package var entityTag: String?
    package var digest: FileDigest?

    package init(size: Int64?, entityTag: String?, digest: FileDigest?) {
        _size = WithinIfPresent(wrappedValue: size)
        self.entityTag = entityTag
        self.digest = digest
    }
}

extension TransferReceipt {
    /// What the comparison with an object came to.
    package enum Finding: Sendable, Equatable {
        /// It is what was transferred, by its SHA-256, or by its ETag: that of the object when it was transferred.
        case same(byDigest: Bool)
        /// There is none.
        case missing
        case otherSize(Int64)
        case otherDigest(String, FileDigest)
        /// Another object, or the same content stored anew.
        case otherTag(String, now: String)
        /// Neither the receipt nor the server says enough.
        case unproven
    }

    /// Compares an object with what was transferred. A digest counts for more than an ETag, which also changes when the same
    /// content is stored in other parts.
    package func compared(with object: StoredObject?) -> Finding {
        guard let object else { return .missing }
        if let size = object.size, size != bytes { return .otherSize(size) }
        if let digest = object.digest,
            let own = proofs.lazy.map(\.digest).first(where: { $0.partSize == digest.partSize })
        {
            return own == digest ? .same(byDigest: true) : .otherDigest(digest.sha256, own)
        }
        guard let tag = object.entityTag, let entityTag else { return .unproven }
        return tag == entityTag ? .same(byDigest: false) : .otherTag(entityTag, now: tag)
    }
}
