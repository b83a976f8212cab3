// SPDX-License-Identifier: Apache-2.0

/// A path in the account, from its root: compared case-insensitively, displayed as written.
struct DropboxPath: Sendable, Equatable {
    /// Why a path is invalid.
    enum Fault: Error { case malformed, disallowedName }

    /// With a slash before each name; empty for the root.
    var display: String

    /// The key by which paths are compared.
    var key: String { display.lowercased() }

    var name: String { display.split(separator: "/").last.map(String.init) ?? "" }

    /// The parent folder; nil for the root.
    var parent: DropboxPath? {
        guard let slash = display.lastIndex(of: "/") else { return nil }
        return DropboxPath(display: String(display[..<slash]))
    }

    private init(display: String) {
        self.display = display
    }

    /// - Parameter text: starts with a slash, or is empty for the root.
    /// - Throws: `Fault` if Dropbox would not save a file there.
    init(_ text: String) throws(Fault) {
        let names = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for name in names {
            guard !name.isEmpty, name != ".", name != "..", name.utf16.count <= 255 else { throw .malformed }
            guard !name.unicodeScalars.contains(where: { $0 == "\\" || $0 == "\0" }) else { throw .malformed }
            if Self.disallowed.contains(name.lowercased()) { throw .disallowedName }
        }
        display = text
    }

    /// System files, and files of Dropbox's own client, which it never saves.
    private static let disallowed: Set<String> = [
        "desktop.ini", "thumbs.db", ".ds_store", "icon\r", ".dropbox", ".dropbox.attr",
    ]

    /// The same folder with another name for the file, `suffix` before the extension.
    func renamed(_ suffix: String) -> DropboxPath {
        let name = name
        let folder = display.dropLast(name.count)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else {
            return DropboxPath(display: folder + name + suffix)
        }
        return DropboxPath(display: folder + name[..<dot] + suffix + name[dot...])
    }

    /// Whether a text has one of the forms of a writable path: `/…`, `id:…` or `ns:…`.
    static func isWritable(_ text: String) -> Bool {
        if text.hasPrefix("/") || text.hasPrefix("id:") { return true }
        return namespace(of: text) != nil
    }

    /// The number and the rest of `ns:1234/…`; nil for any other path.
    static func namespace(of text: String) -> (id: String, rest: String)? {
        guard text.hasPrefix("ns:") else { return nil }
        let id = text.dropFirst(3).prefix { $0.isASCII && $0.isNumber }
        let rest = text.dropFirst(3 + id.count)
        guard !id.isEmpty, rest.isEmpty || rest.hasPrefix("/") else { return nil }
        return (String(id), String(rest))
    }
}
