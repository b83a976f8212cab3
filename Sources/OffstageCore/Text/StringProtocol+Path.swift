// SPDX-License-Identifier: Apache-2.0

/// Paths as Linux reads them: byte by byte.
///
/// To Swift, a slash and a combining mark behind it are one character, which is no slash. Whoever looked for "/" among
/// characters would find another folder than the kernel does, and a name that somebody else has chosen could lead there.
extension StringProtocol where UTF8View: BidirectionalCollection {
    /// Where the last slash is.
    package var lastSlash: Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }

    /// Where the first slash is.
    package var firstSlash: Index? { utf8.firstIndex(of: UInt8(ascii: "/")) }

    /// What stands behind an index of a slash. `index(after:)` would pass over a mark that belongs to the next name.
    package func part(after slash: Index) -> String {
        // checked: an index of this text, and one behind it
        String(decoding: utf8[utf8.index(after: slash)...], as: UTF8.self)
    }

    /// What stands between slashes, without what is empty.
    package var pathParts: [String] {
        utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }
}
