// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Text in SVG and HTML.
package enum MarkupText {
    /// Escapes untrusted text for use in an element or an attribute. Replaces characters that no reader could show.
    package static func escaped(_ text: String) -> String {
        XMLText.escaped(text.redactedControls, isQuoted: true)
    }

    /// Truncates text to a number of letters of usual width, with an ellipsis if anything was cut off.
    static func cut(_ text: String, to columns: Int) -> String {
        func width(of letter: Character) -> Int { (letter.unicodeScalars.first?.value ?? 0) >= 0x1100 ? 2 : 1 }
        guard text.reduce(0, { $0 + width(of: $1) }) > columns else { return text }
        var used = 0
        var result = ""
        for letter in text {
            used += width(of: letter)
            if used >= columns { break }
            result.append(letter)
        }
        return result + "…"
    }
}
