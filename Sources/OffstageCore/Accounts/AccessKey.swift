// SPDX-License-Identifier: Apache-2.0

/// A key that signs requests to S3. Its parts are never shown, not even its full ID.
package struct AccessKey: Sendable, Hashable, Codable {
    /// The access key ID, by which the server finds the secret.
    package var id: String
    package var secret: String
    /// The token of a temporary key; nil for a permanent key.
    package var sessionToken: String?

    package init(id: String, secret: String, sessionToken: String? = nil) {
        self.id = id
        self.secret = secret
        self.sessionToken = sessionToken
    }

    /// Bytes of the longest part. Session tokens of AWS have no documented limit, but are at most 2 KiB today.
    private static let longestPart = 8192

    /// The beginning and the end of its ID, for people who have several.
    package var shortID: String {
        id.utf8.count < 16 ? "\(id.prefix(2))…" : "\(id.prefix(4))…\(id.suffix(4))"
    }

    /// Whether its parts are valid in a header field.
    package var isSound: Bool {
        [id, secret, sessionToken ?? "none"].allSatisfy { part in
            (1...Self.longestPart).contains(part.utf8.count) && part.utf8.allSatisfy { (33...126).contains($0) }
        } && !id.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ",") }
    }
}

extension AccessKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(hidden)" }
    package var debugDescription: String { "(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
