// SPDX-License-Identifier: Apache-2.0

/// Makes a file name that comes from elsewhere safe for use in our folders.
package enum SafeFileName {
    /// Bytes that Linux allows.
    package static let longest = 255
    /// Bytes of the longest extension that is kept when a name is cut.
    private static let longestEnding = 24

    /// The last part of a possible Linux or Windows path, without anything that could mislead a terminal or a person,
    /// and not hidden: a file with a leading dot often holds a program's settings.
    ///
    /// - Returns: a name of at most 255 bytes, without a slash and neither `.` nor `..`; nil if nothing is left.
    package static func of(_ text: String) -> String? {
        let last = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last
        var scalars = String.UnicodeScalarView()
        for scalar in last ?? Substring.UnicodeScalarView() where !scalar.isUnfitForTerminals {
            // Bytes that were not UTF-8.
            scalars.append(scalar == "\u{FFFD}" ? "_" : scalar)
        }
        var name = Substring(String(scalars)).unicodeScalars.drop { $0 == "." || $0.properties.isWhitespace }
        while let last = name.last, last.properties.isWhitespace { name = name.dropLast() }
        guard !name.isEmpty else { return nil }
        return shortened(String(name))
    }

    /// Shortens a name, before its extension, to the allowed number of bytes.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        // checked: an index of this very text
        let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        let kept = ending.utf8.count <= longestEnding ? ending : ""
        var scalars = String.UnicodeScalarView()
        // checked: below 255, and decreases by at most four bytes each time until it is below 0
        var room = longest - kept.utf8.count
        for scalar in name.unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            scalars.append(scalar)
        }
        return String(scalars) + kept
    }
}
