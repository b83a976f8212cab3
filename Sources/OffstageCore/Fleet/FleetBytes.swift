// SPDX-License-Identifier: Apache-2.0

/// Bytes in PostgreSQL's text form of the type `bytea`: `\x` and hexadecimal digits.
package enum FleetBytes {
    package static func text(_ bytes: [UInt8]) -> String { "\\x" + Hexadecimal.text(bytes) }

    /// Decodes the bytes; nil for any other text, and for more than `most` bytes.
    package static func read(_ text: String?, most: Int) -> [UInt8]? {
        guard let text, text.hasPrefix("\\x") else { return nil }
        let digits = text.utf8.dropFirst(2)
        return digits.count / 2 <= most ? Hexadecimal.bytes(digits) : nil
    }
}
