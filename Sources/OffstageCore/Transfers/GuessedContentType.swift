// SPDX-License-Identifier: Apache-2.0

/// What a file of a form is said to be when nobody says it: by its name's end, from the table that curl has.
package enum GuessedContentType {
    private static let byEnding = [
        ".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png",
        ".svg": "image/svg+xml", ".txt": "text/plain", ".htm": "text/html", ".html": "text/html",
        ".pdf": "application/pdf", ".xml": "application/xml",
    ]

    /// Nil for a name that tells nothing.
    package static func of(_ name: String) -> String? {
        let last = name.utf8.lastIndex(of: UInt8(ascii: "/")).map { name[name.utf8.index(after: $0)...] } ?? name[...]
        guard let dot = last.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        return byEnding[last[dot...].lowercased()]
    }

    /// The type of a file that is sent under a name: that name tells first, then its own, and any file is bytes.
    package static func ofFile(named fileName: String?, at path: String) -> String {
        fileName.flatMap(of) ?? of(path) ?? "application/octet-stream"
    }
}
