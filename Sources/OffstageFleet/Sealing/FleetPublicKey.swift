// SPDX-License-Identifier: Apache-2.0
import CCrypto
import FoundationEssentials
import OffstageCore

/// The public half of a fleet's key, which can seal but not open.
package struct FleetPublicKey: Sendable, Hashable {
    package static let length = 32

    package let bytes: [UInt8]

    /// Returns nil for anything but 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Parses a `bytea` column; nil for anything but a key.
    package init?(bytea: String?) {
        guard let bytes = FleetBytes.read(bytea, most: Self.length) else { return nil }
        self.init(bytes: bytes)
    }

    /// The fingerprint by which people identify the key, in curl's format for key hashes: `sha256//` and Base64.
    package var fingerprint: String {
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else { return "" }
        return "sha256//" + Data(digest).base64EncodedString()
    }

    /// Whether the key has the fingerprint that a person has specified.
    package func matches(fingerprint: String) -> Bool { !fingerprint.isEmpty && fingerprint == self.fingerprint }
}
