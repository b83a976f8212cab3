// SPDX-License-Identifier: Apache-2.0
import CCrypto
import FoundationEssentials
import OffstageCore

/// The public half of a fleet's key: whoever has it can seal, and not open.
package struct FleetPublicKey: Sendable, Hashable {
    package static let length = 32

    package let bytes: [UInt8]

    /// Nil for anything but 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Reads a column of the type `bytea`; nil for anything but a key.
    package init?(bytea: String?) {
        guard let bytes = FleetBytes.read(bytea, most: Self.length) else { return nil }
        self.init(bytes: bytes)
    }

    /// By which people tell it from another, as curl writes hashes of keys: `sha256//` and Base64.
    package var fingerprint: String {
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else { return "" }
        return "sha256//" + Data(digest).base64EncodedString()
    }

    /// Whether the key is the one that a person has named by its fingerprint.
    package func matches(fingerprint: String) -> Bool { !fingerprint.isEmpty && fingerprint == self.fingerprint }
}
