// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension String {
    /// The string's lines, with U+FFFD for every character that moves the cursor or is invisible, except tabs: no line
    /// can be mistaken for another program's entry.
    package var readableLines: [String] {
        if utf8.allSatisfy({ (32..<127).contains($0) }) { return [self] }
        // Splits by scalars, since "\r\n" is one character.
        var lines = unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var line = line
            if line.last == "\r" { line.removeLast() }
            return line.split(separator: "\t", omittingEmptySubsequences: false)
                .map { String(Substring($0)).redactedControls }.joined(separator: "\t")
        }
        while lines.count > 1, lines.last == "" { lines.removeLast() }
        return lines
    }
}
