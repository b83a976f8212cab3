// SPDX-License-Identifier: Apache-2.0

/// A name of a file that somebody else has chosen, as it may be used in a folder of ours.
package enum SafeFileName {
    /// Bytes that Linux takes.
    package static let longest = 255
    /// Bytes of what is taken for an ending, and kept when a name is cut.
    private static let longestEnding = 24

    /// The last part of what may be a path, of Linux or of Windows, without what leads a terminal or a person astray, and
    /// not hidden: what stands there with a dot is often a program's settings.
    ///
    /// - Returns: a name of at most 255 bytes, with no slash in it and neither `.` nor `..`; nil where nothing is left.
    package static func of(_ text: String) -> String? {
        let last = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last
        var scalars = String.UnicodeScalarView()
        for scalar in last ?? Substring.UnicodeScalarView() where !scalar.isUnfitForTerminals {
            // What was not UTF-8.
            scalars.append(scalar == "\u{FFFD}" ? "_" : scalar)
        }
        var name = Substring(String(scalars)).unicodeScalars.drop { $0 == "." || $0.properties.isWhitespace }
        while let last = name.last, last.properties.isWhitespace { name = name.dropLast() }
        guard !name.isEmpty else { return nil }
        return shortened(String(name))
    }

    /// Cut before its ending, at no more bytes than there may be.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        // checked: an index of this very text
        let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        let kept = ending.utf8.count <= longestEnding ? ending : ""
        var scalars = String.UnicodeScalarView()
        // checked: below 255, and at most four bytes less each time until it is below 0
        var room = longest - kept.utf8.count
        for scalar in name.unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            scalars.append(scalar)
        }
        return String(scalars) + kept
    }
}
