// SPDX-License-Identifier: Apache-2.0

/// The location of an object in Google Cloud Storage: `gs://bucket/object`.
package struct GCSLocation: Sendable, Hashable {
    package var bucket: String
    /// The object's name in the bucket.
    package var object: String

    package init(bucket: String, object: String) {
        self.bucket = bucket
        self.object = object
    }

    /// The beginning of its URLs.
    package static let scheme = "gs://"

    /// Reads `gs://bucket/object`, with a name that is not percent-encoded, as in all tools for it; nil for any other
    /// scheme. The name may be empty.
    package init?(_ text: String) {
        guard let path = BucketPath(text, scheme: Self.scheme) else { return nil }
        self.init(bucket: path.bucket, object: path.key)
    }

    /// For people.
    package var text: String { path.text.redactedControls }

    private var path: BucketPath { BucketPath(scheme: Self.scheme, bucket: bucket, key: object) }

    /// Bytes of a bucket's name: 63, or more with dots
    /// (https://cloud.google.com/storage/docs/buckets#naming).
    private static let bucketLengths = 3...222

    /// - Throws: `RequestError` for names that no bucket can have.
    package func validate() throws(RequestError) {
        guard Self.bucketLengths.contains(bucket.utf8.count), bucket.utf8.allSatisfy(Self.isBucketByte),
            bucket.utf8.first != UInt8(ascii: ".")
        else {
            throw .invalidValue(
                "'\(bucket.redactedControls)' is not a bucket's name: write gs://BUCKET/OBJECT, with small letters, digits, '.', '_' and '-' in the bucket"
            )
        }
        try path.validateKey()
    }

    private static func isBucketByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-_.".utf8.contains(byte)
        }
    }
}
