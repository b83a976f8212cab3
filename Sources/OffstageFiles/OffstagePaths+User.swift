// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

extension OffstagePaths {
    /// The places of the user that this process runs as: the same for daemon and client.
    ///
    /// - Throws: the errors of `init(environment:border:)`.
    package static func ofThisUser(_ environment: [String: String]) throws(SettingsError) -> OffstagePaths {
        var border = Border(trust: .ofThisUser, folders: Self.folders)
        border.isClosed = { path in
            FileStanding(lookingAt: path)?.kind == .folder && access(path, X_OK) != 0 && errno == EACCES
        }
        border.listening = { LockFile.isHeld($0) ? LockFile.address(in: $0)?.socket : nil }
        return try OffstagePaths(environment: environment, border: border)
    }

    /// The existing folders along a path, with links resolved.
    private static func folders(to path: String) -> (found: [FileStanding], isWhole: Bool) {
        var existing = path
        var isWhole = true
        var real: String?
        while real == nil, !existing.isEmpty {
            real = resolved(existing)
            if real == nil {
                isWhole = false
                existing = String(existing[..<(existing.lastSlash ?? existing.startIndex)])
            }
        }
        var partial = ""
        var found: [FileStanding] = []
        if let root = FileStanding(lookingAt: "/") { found.append(root) }
        for part in (real ?? "/").pathParts {
            partial += "/" + part
            guard let standing = FileStanding(lookingAt: partial) else { return (found, false) }
            found.append(standing)
        }
        return (found, isWhole)
    }

    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
