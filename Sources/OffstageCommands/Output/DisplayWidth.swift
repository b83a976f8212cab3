// SPDX-License-Identifier: Apache-2.0

/// How many terminal cells a text occupies.
package enum DisplayWidth {
    /// The width of a text. Wide East Asian characters and pictures take two cells, all others one.
    package static func of(_ text: String) -> Int {
        text.utf8.allSatisfy { $0 < 128 } ? text.utf8.count : text.reduce(0) { $0 + of($1) }
    }

    /// The text, truncated to a number of cells, with an ellipsis at its end.
    package static func truncated(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        guard width > 1 else { return width == 1 ? "…" : "" }
        var used = 0
        var result = ""
        for character in text {
            let next = of(character)
            if used + next > width - 1 { break }
            used += next
            result.append(character)
        }
        return result + "…"
    }

    /// The text, wrapped between words to a number of cells. A longer word makes a line that is too long.
    ///
    /// - Parameters:
    ///   - text: one line, which may begin with spaces.
    ///   - width: terminal cells; 0 for no limit.
    /// - Returns: the lines, which all begin with the same spaces.
    package static func wrapped(_ text: String, to width: Int) -> [String] {
        guard width > 0, of(text) > width else { return [text] }
        let indent = String(text.prefix { $0 == " " })
        var lines: [String] = []
        var line = ""
        for word in text.dropFirst(indent.count).split(separator: " ", omittingEmptySubsequences: false) {
            if !line.isEmpty, of(indent + line) + 1 + of(String(word)) > width {
                lines.append(indent + line)
                line = String(word)
            } else {
                line += line.isEmpty ? String(word) : " \(word)"
            }
        }
        return lines + [indent + line]
    }

    private static func of(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default:
            return 1
        }
    }
}
