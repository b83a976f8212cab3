// SPDX-License-Identifier: Apache-2.0

/// Commits files: finds where a file goes, and any conflict.
extension EmulatedAccount {
    /// A member of WriteError.
    struct WriteFault: Error {
        var error: EmulatorJSON

        static func conflict(_ what: String) -> WriteFault {
            WriteFault(error: .tag("conflict", nesting: .tag(what)))
        }

        static func tag(_ name: String) -> WriteFault { WriteFault(error: .tag(name)) }
    }

    /// The bytes of the new file.
    struct NewContent {
        var content: [StoredExtent]
        var size: Int64
        var hash: String
    }

    struct Committed {
        var file: EmulatedFile
        /// The revision that it replaces.
        var replaced: EmulatedFile?
        /// False if the same bytes were already there.
        var isWritten: Bool
    }

    /// Commits a file.
    mutating func commit(
        _ info: CommitInfo,
        _ new: NewContent,
        rules: DropboxRules,
        random: inout SeededNumbers,
        now: Double
    ) throws(WriteFault) -> Committed {
        var path = try target(info.path)
        let isReadOnly = rules.readOnlyFolders.contains { path.key.hasPrefix($0.lowercased() + "/") }
        if isReadOnly { throw .tag("no_write_permission") }
        if ancestorIsFile(path) { throw .conflict("file_ancestor") }
        var replaced = files[path.key]
        if let old = replaced, !info.strictConflict, old.size == new.size, old.contentHash == new.hash {
            return Committed(file: old, replaced: nil, isWritten: false)
        }
        if let conflict = conflict(info, path, with: replaced) {
            guard info.autorename else { throw .conflict(conflict) }
            path = freeName(path, info.mode)
            replaced = nil
        }
        if let quota = rules.quota, usedBytes - (replaced?.size ?? 0) + new.size > quota {
            throw .tag("insufficient_space")
        }
        makeFolders(for: path, &random)
        revisions += 1
        let file = EmulatedFile(
            path: replaced?.path ?? shown(path),
            id: replaced?.id ?? "id:" + random.name(22),
            rev: revision,
            size: new.size,
            contentHash: new.hash,
            clientModified: info.clientModified ?? UTCTime.text(now),
            serverModified: now,
            content: new.content
        )
        files[path.key] = file
        return Committed(file: file, replaced: replaced, isWritten: true)
    }

    /// At least nine lower-case hexadecimal digits.
    private var revision: String {
        let digits = String(revisions, radix: 16)
        return String(repeating: "0", count: max(0, 9 - digits.count)) + digits + String(namespace.prefix(6))
    }

    private func target(_ text: String) throws(WriteFault) -> DropboxPath {
        var rest = text
        if text.hasPrefix("id:") {
            guard let file = files.values.first(where: { $0.id == text }) else { throw .tag("malformed_path") }
            return file.path
        }
        if let (id, inner) = DropboxPath.namespace(of: text) {
            guard id == namespace else { throw .tag("no_write_permission") }
            rest = inner
        }
        do throws(DropboxPath.Fault) {
            let path = try DropboxPath(rest)
            if path.display.isEmpty { throw .malformed }
            return path
        } catch {
            switch error {
            case .malformed: throw .tag("malformed_path")
            case .disallowedName: throw .tag("disallowed_name")
            }
        }
    }

    private func ancestorIsFile(_ path: DropboxPath) -> Bool {
        var folder = path.parent
        while let next = folder, !next.display.isEmpty {
            if files[next.key] != nil { return true }
            folder = next.parent
        }
        return false
    }

    /// The conflict, as a member of WriteConflictError; nil if there is none.
    private func conflict(_ info: CommitInfo, _ path: DropboxPath, with old: EmulatedFile?) -> String? {
        if folders[path.key] != nil { return "folder" }
        switch (info.mode, old) {
        case (.overwrite, _), (.add, nil): return nil
        case (.add, _?): return "file"
        // The revision is gone, which is a conflict only in strict mode.
        case (.update, nil): return info.strictConflict ? "file" : nil
        case (.update(let rev), let old?): return rev == old.rev ? nil : "file"
        }
    }

    private func freeName(_ path: DropboxPath, _ mode: CommitInfo.Mode) -> DropboxPath {
        var number = 0
        while true {
            number += 1
            let suffix: String
            if case .update = mode {
                suffix = number == 1 ? " (conflicted copy)" : " (conflicted copy \(number - 1))"
            } else {
                suffix = " (\(number))"
            }
            let candidate = path.renamed(suffix)
            if files[candidate.key] == nil, folders[candidate.key] == nil { return candidate }
        }
    }

    /// The path with its folders spelled as they were when created.
    private func shown(_ path: DropboxPath) -> DropboxPath {
        guard let parent = path.parent, let folder = folders[parent.key],
            let shown = try? DropboxPath("\(folder.path.display)/\(path.name)")
        else { return path }
        return shown
    }

    private mutating func makeFolders(for path: DropboxPath, _ random: inout SeededNumbers) {
        var missing: [DropboxPath] = []
        var folder = path.parent
        while let next = folder, !next.display.isEmpty, folders[next.key] == nil {
            missing.append(next)
            folder = next.parent
        }
        for path in missing.reversed() {
            folders[path.key] = Folder(path: shown(path), id: "id:" + random.name(22))
        }
    }
}
