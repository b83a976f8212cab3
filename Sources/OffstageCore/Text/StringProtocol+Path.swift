// SPDX-License-Identifier: Apache-2.0

/// Paths as Linux reads them: byte by byte.
///
/// In Swift, a slash and a combining mark after it are one character, which is not a slash. A search for "/" among
/// characters would find a different folder than the kernel does, and a foreign name could exploit that.
extension StringProtocol where UTF8View: BidirectionalCollection {
    /// Where the last slash is.
    package var lastSlash: Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }

    /// Where the first slash is.
    package var firstSlash: Index? { utf8.firstIndex(of: UInt8(ascii: "/")) }

    /// The text after a slash. `index(after:)` would skip a mark that belongs to the next name.
    package func part(after slash: Index) -> String {
        // checked: an index of this text, and one behind it
        String(decoding: utf8[utf8.index(after: slash)...], as: UTF8.self)
    }

    /// The non-empty parts between slashes.
    package var pathParts: [String] {
        utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }
}
