// SPDX-License-Identifier: Apache-2.0

/// A SHA-256 that a downloaded file must have, written `sha256:<64 hexadecimal digits>`.
package struct Checksum: Sendable, Hashable, Codable, CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    package let sha256: String

    /// - Throws: `RequestError.invalidChecksum` for anything but `sha256:` and 64 hexadecimal digits.
    package init(parsing text: String) throws(RequestError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        // Bytes, not characters: there are hexadecimal digits beyond ASCII.
        guard parts.count == 2, parts[0].lowercased() == "sha256", parts[1].utf8.count == 64,
            parts[1].utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
        else { throw .invalidChecksum(text) }
        sha256 = parts[1].lowercased()
    }

    package var description: String { "sha256:\(sha256)" }
}
