// SPDX-License-Identifier: Apache-2.0

/// The multipart upload of a bucket after which a page of the listing begins.
package struct S3UploadMarker: Sendable, Hashable, Codable {
    package var key: String
    /// The upload's ID; empty for all uploads of the key.
    package var upload: String

    package init(key: String, upload: String) {
        self.key = key
        self.upload = upload
    }

    /// The most bytes of an upload's ID that are accepted. AWS's IDs have 128.
    package static let longestID = 512
    /// Bytes of the longest key: S3's limit.
    package static let longestKey = 1024

    /// Whether a text may be the ID of an upload.
    package static func isID(_ text: String) -> Bool {
        (1...longestID).contains(text.utf8.count) && text.utf8.allSatisfy { (33...126).contains($0) }
    }

    package var isSound: Bool {
        (1...Self.longestKey).contains(key.utf8.count) && (upload.isEmpty || Self.isID(upload))
    }
}
