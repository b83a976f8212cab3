// SPDX-License-Identifier: Apache-2.0

/// The location of an object: `s3://bucket/key`.
package struct S3Location: Sendable, Hashable {
    package var bucket: String
    package var key: String

    package init(bucket: String, key: String) {
        self.bucket = bucket
        self.key = key
    }

    /// The beginning of its URLs.
    package static let scheme = "s3://"

    /// Reads `s3://bucket/key`, with a key that is not percent-encoded, as in all S3 tools; nil for any other scheme.
    /// The key may be empty.
    package init?(_ text: String) {
        guard let path = BucketPath(text, scheme: Self.scheme) else { return nil }
        self.init(bucket: path.bucket, key: path.key)
    }

    /// For people.
    package var text: String { path.text.redactedControls }

    private var path: BucketPath { BucketPath(scheme: Self.scheme, bucket: bucket, key: key) }

    /// Bytes of the longest bucket name in S3.
    private static let longestBucket = 255

    /// - Throws: `RequestError` for names that no endpoint can have.
    package func validate() throws(RequestError) {
        guard (1...Self.longestBucket).contains(bucket.utf8.count), bucket.utf8.allSatisfy(Self.isBucketByte),
            bucket.utf8.first != UInt8(ascii: ".")
        else {
            throw .invalidValue(
                "'\(bucket.redactedControls)' is not a bucket's name: write s3://BUCKET/KEY, with letters, digits, '.', '_' and '-' in the bucket"
            )
        }
        try path.validateKey()
    }

    private static func isBucketByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.".utf8.contains(byte)
        }
    }
}
