// SPDX-License-Identifier: Apache-2.0

/// The content type of a form's file if none is stated: guessed from the file name extension, with curl's table.
package enum GuessedContentType {
    private static let byEnding = [
        ".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png",
        ".svg": "image/svg+xml", ".txt": "text/plain", ".htm": "text/html", ".html": "text/html",
        ".pdf": "application/pdf", ".xml": "application/xml",
    ]

    /// The type for a name; nil if the name gives no hint.
    package static func of(_ name: String) -> String? {
        let last = name.utf8.lastIndex(of: UInt8(ascii: "/")).map { name[name.utf8.index(after: $0)...] } ?? name[...]
        guard let dot = last.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        return byEnding[last[dot...].lowercased()]
    }

    /// The type of a file that is sent under a name: guessed from that name, otherwise from its path, otherwise plain
    /// bytes.
    package static func ofFile(named fileName: String?, at path: String) -> String {
        fileName.flatMap(of) ?? of(path) ?? "application/octet-stream"
    }
}
