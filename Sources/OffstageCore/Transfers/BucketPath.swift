// SPDX-License-Identifier: Apache-2.0

/// The location of an object in a bucket, as the service's tools write it: `scheme://bucket/key`. The key is not
/// percent-encoded, and may be empty.
package struct BucketPath: Sendable, Hashable {
    /// Such as `s3://`.
    package var scheme: String
    package var bucket: String
    package var key: String

    package init(scheme: String, bucket: String, key: String) {
        self.scheme = scheme
        self.bucket = bucket
        self.key = key
    }

    private static let schemes = [S3Location.scheme, GCSLocation.scheme]

    /// Nil for a scheme that is not a bucket's.
    package init?(_ text: String) {
        guard let path = Self.schemes.lazy.compactMap({ BucketPath(text, scheme: $0) }).first else { return nil }
        self = path
    }

    /// Nil for any other scheme.
    package init?(_ text: String, scheme: String) {
        guard text.prefix(scheme.count).lowercased() == scheme else { return nil }
        let rest = text.dropFirst(scheme.count)
        // Bytes, not characters: a / with a combining mark after it is another character.
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/"))
        self.scheme = scheme
        bucket = String(rest[..<(slash ?? rest.endIndex)])
        key = slash.map { String(decoding: rest.utf8[$0...].dropFirst(), as: UTF8.self) } ?? ""
    }

    /// The location as tools write it.
    package var text: String { "\(scheme)\(bucket)/\(key)" }

    /// Whether the path names a folder, to which file names are appended.
    package var isFolder: Bool { key.isEmpty || key.hasSuffix("/") }

    /// Bytes of the longest key, in both services.
    private static let longestKey = 1024

    /// Refuses a key that no object can have, or that programs along the way would change.
    func validateKey() throws(RequestError) {
        guard !key.isEmpty, key.utf8.count <= Self.longestKey else {
            throw .invalidValue(
                key.isEmpty
                    ? "\(scheme)\(bucket)/ names no object: add a key after the bucket"
                    : "The key in \(bucket) has more than \(Self.longestKey) bytes: shorten it"
            )
        }
        guard !key.utf8.contains(where: { $0 < 32 || $0 == 127 }) else {
            throw .invalidValue("The key '\(key.redactedControls)' contains a control character: choose another one")
        }
        // Programs along the way resolve them as in a file system.
        let parts = key.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) else {
            throw .invalidValue("The key '\(key)' has '.' or '..' between slashes: choose another one")
        }
    }
}
