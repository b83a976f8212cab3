// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text with `RequestURL.redact` applied to each URL in it: foreign text may repeat a URL with its secrets.
    package var redactedURLs: String {
        guard RequestURL.schemeEnd(in: self) != nil else { return self }
        // Bytes, not characters: a space and a mark after it are one character, but still end a word.
        var result = ""
        var rest = utf8[...]
        while let first = rest.first {
            let isGap = Self.endsWord(first)
            let part = rest.prefix { Self.endsWord($0) == isGap }
            rest = rest[part.endIndex...]
            result += isGap ? String(Substring(part)) : Self.withoutSecrets(Substring(part))
        }
        return result
    }

    private static func withoutSecrets(_ word: Substring) -> String {
        let word = String(word)
        guard let separator = RequestURL.schemeEnd(in: word) else { return word }
        // Anything before the scheme, such as a bracket, is not part of the URL.
        let before = word.utf8[..<separator.lowerBound]
        let start =
            before.lastIndex { !RequestURL.isSchemeByte($0) }.map { before.index(after: $0) } ?? before.startIndex
        return String(word[..<start]) + RequestURL.redact(String(word[start...]))
    }

    private static func endsWord(_ byte: UInt8) -> Bool { byte <= 32 || byte == 127 || "\"'<>".utf8.contains(byte) }
}
