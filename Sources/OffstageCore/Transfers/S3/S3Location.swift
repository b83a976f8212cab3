// SPDX-License-Identifier: Apache-2.0

/// The place of an object: `s3://bucket/key`.
package struct S3Location: Sendable, Hashable {
    package var bucket: String
    package var key: String

    package init(bucket: String, key: String) {
        self.bucket = bucket
        self.key = key
    }

    /// The beginning of its URLs.
    package static let scheme = "s3://"

    /// Reads `s3://bucket/key`, whose key is not percent-encoded, as in all S3 tools; nil for another scheme. The key may
    /// be empty.
    package init?(_ text: String) {
        guard text.prefix(Self.scheme.count).lowercased() == Self.scheme else { return nil }
        let rest = text.dropFirst(Self.scheme.count)
        // Bytes, not characters: a / with a combining mark after it is another character.
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/"))
        bucket = String(rest[..<(slash ?? rest.endIndex)])
        key = slash.map { String(decoding: rest.utf8[$0...].dropFirst(), as: UTF8.self) } ?? ""
    }

    /// For people.
    package var text: String { "\(Self.scheme)\(bucket.redactedControls)/\(key.redactedControls)" }

    /// Bytes of the longest bucket and key, as S3 has them.
    private static let longestBucket = 255
    private static let longestKey = 1024

    /// - Throws: `RequestError` for what no endpoint can have.
    package func validate() throws(RequestError) {
        guard (1...Self.longestBucket).contains(bucket.utf8.count), bucket.utf8.allSatisfy(Self.isBucketByte),
            bucket.utf8.first != UInt8(ascii: ".")
        else {
            throw .invalidValue(
                "'\(bucket.redactedControls)' is not a bucket's name: write s3://BUCKET/KEY, with letters, digits, '.', '_' and '-' in the bucket"
            )
        }
        guard !key.isEmpty, key.utf8.count <= Self.longestKey else {
            throw .invalidValue(
                key.isEmpty
                    ? "s3://\(bucket)/ names no object: add a key after the bucket"
                    : "The key in \(bucket) has more than \(Self.longestKey) bytes: shorten it"
            )
        }
        guard !key.utf8.contains(where: { $0 < 32 || $0 == 127 }) else {
            throw .invalidValue("The key '\(key.redactedControls)' contains a control character: choose another one")
        }
        // Programs on the way resolve them as in a file system, and the signature would no longer fit.
        let parts = key.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) else {
            throw .invalidValue("The key '\(key)' has '.' or '..' between slashes: choose another one")
        }
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
