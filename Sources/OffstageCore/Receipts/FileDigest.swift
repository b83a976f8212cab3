// SPDX-License-Identifier: Apache-2.0

/// The SHA-256 of a file, or of the concatenated digests of its parts, as S3 and Dropbox compute it for large objects.
package struct FileDigest: Sendable, Hashable, Codable {
    /// 64 lower-case hexadecimal digits.
    package let sha256: String
    /// The size of each part in bytes; the last may be shorter. Nil for a digest of the whole file.
    package let partSize: Int64?

    /// Nil unless there are 64 hexadecimal digits and a valid part size.
    package init?(sha256: String, partSize: Int64? = nil) {
        guard let checksum = try? Checksum(parsing: "sha256:" + sha256) else { return nil }
        self.init(checksum, partSize: partSize)
    }

    private init?(_ checksum: Checksum, partSize: Int64?) {
        guard partSize.map({ (1...ByteCounts.range.upperBound).contains($0) }) ?? true else { return nil }
        sha256 = checksum.sha256
        self.partSize = partSize
    }

    package init(_ checksum: Checksum) {
        sha256 = checksum.sha256
        partSize = nil
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let sha256 = try container.decode(String.self, forKey: .sha256)
        let partSize = try container.decodeIfPresent(Int64.self, forKey: .partSize)
        guard let digest = FileDigest(sha256: sha256, partSize: partSize) else {
            throw DecodingError.dataCorruptedError(forKey: .sha256, in: container, debugDescription: "no SHA-256")
        }
        self = digest
    }

    /// Whether files with the same content always have the same digest: true for the whole file, and for Dropbox's
    /// blocks. The part size of an object at S3, at least 5 MiB, was chosen by its sender or copier.
    package var dependsOnContentAlone: Bool { partSize == nil || partSize == DropboxParameters.blockSize }

    private enum CodingKeys: String, CodingKey { case sha256, partSize }
}
