// SPDX-License-Identifier: Apache-2.0

/// Decides which parts of a URL's path may be shown: signed links, webhooks and bot addresses contain secrets.
enum URLPath {
    /// Shorter parts are words, dates and numbers.
    private static let shortestToken = 16

    /// Appends a path to a text, with `…` in place of parts that look like tokens, and of parameters after a `;`.
    static func append(_ path: Substring.UTF8View, to text: inout String) {
        var rest = path
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            let part = rest[..<end]
            let name = part.prefix { $0 != UInt8(ascii: ";") }
            text += isToken(name, isLast: end == rest.endIndex) ? "…" : Substring(name)
            if name.count < part.count { text += ";…" }
            guard end < rest.endIndex else { return }
            text += "/"
            rest = rest[rest.index(after: end)...]
        }
    }

    /// The parts of a path that `append` does not show.
    static func tokens(_ path: Substring.UTF8View) -> [String] {
        let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.enumerated().flatMap { index, part -> [String] in
            let name = part.prefix { $0 != UInt8(ascii: ";") }
            let parameters = part.dropFirst(name.count + 1)
            return (isToken(name, isLast: index == parts.count - 1) ? [Substring(name)] : [])
                .map(String.init) + (parameters.isEmpty ? [] : [String(Substring(parameters))])
        }
    }

    /// Whether letters and digits alternate as in a machine-made text. The name of a file, with its extension, is not a
    /// token.
    static func isToken(_ part: Substring.UTF8View, isLast: Bool) -> Bool {
        guard part.count >= shortestToken, !(isLast && hasEnding(part)) else { return false }
        var changes = 0
        var previous = Kind.other
        var escaped = 0
        for byte in part {
            escaped = byte == UInt8(ascii: "%") ? 3 : max(0, escaped - 1)
            let kind = escaped > 0 ? Kind.other : Kind(byte)
            if kind != previous, kind != .other, previous != .other, (previous, kind) != (.upper, .lower) {
                changes += 1
            }
            previous = kind
        }
        return changes >= 4 && part.contains { Kind($0) == .digit }
    }

    private static func hasEnding(_ part: Substring.UTF8View) -> Bool {
        guard let dot = part.lastIndex(of: UInt8(ascii: ".")), dot > part.startIndex else { return false }
        let ending = part[part.index(after: dot)...]
        return (1...5).contains(ending.count) && ending.allSatisfy { Kind($0) != .other }
    }

    private enum Kind {
        case upper, lower, digit, other

        init(_ byte: UInt8) {
            self =
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): .upper
                case UInt8(ascii: "a")...UInt8(ascii: "z"): .lower
                case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
                default: .other
                }
        }
    }
}
