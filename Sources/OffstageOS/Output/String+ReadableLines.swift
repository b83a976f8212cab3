// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension String {
    /// Its lines, with U+FFFD for all that moves a cursor or cannot be seen but tabulators: no line of it can pass for an
    /// entry of somebody else.
    package var readableLines: [String] {
        if utf8.allSatisfy({ (32..<127).contains($0) }) { return [self] }
        // By scalars: "\r\n" is one character.
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
