// SPDX-License-Identifier: Apache-2.0
import OffstageClient
package import OffstageProtocol

/// Finds the app that the user means: by identifier, by its last component, or by the beginning of either.
package enum AppName {
    /// What a word may resolve to.
    package enum Match: Sendable, Equatable {
        case one(String)
        case several([String])
        case none(closest: String?)
    }

    /// Looks a word up among the identifiers of all apps.
    ///
    /// - Parameters:
    ///   - word: the word on the command line.
    ///   - path: the word as an absolute path, since an app without a bundle identifier is named by its executable.
    ///   - ids: the existing apps.
    /// - Returns: the match. An identifier equal to the word takes precedence over one that ends with it, and that one
    ///   over one that begins with it.
    package static func find(_ word: String, path: String, among ids: [String]) -> Match {
        guard !word.isEmpty else { return .none(closest: nil) }
        if let same = ids.first(where: { $0 == word || $0 == path }) { return .one(same) }
        let lower = word.lowercased()
        let tests: [(String) -> Bool] = [
            { lastComponent($0) == word },
            { lastComponent($0).lowercased() == lower },
            { $0.hasPrefix(word) || lastComponent($0).hasPrefix(word) },
            { $0.lowercased().hasPrefix(lower) || lastComponent($0).lowercased().hasPrefix(lower) },
        ]
        for test in tests {
            let found = ids.filter(test)
            if found.count == 1 { return .one(found[0]) }
            if found.count > 1 { return .several(found) }
        }
        let closest = ids.first {
            Spelling.areClose($0.lowercased(), lower) || Spelling.areClose(lastComponent($0).lowercased(), lower)
        }
        return .none(closest: closest)
    }

    /// `dropoff` of `com.example.dropoff`, and of `/home/me/bin/dropoff`.
    package static func lastComponent(_ id: String) -> String {
        let separator: Character = id.hasPrefix("/") ? "/" : "."
        return id.split(separator: separator).last.map(String.init) ?? id
    }

    /// Parses the single name that a command takes.
    ///
    /// - Throws: `UsageError` when there is none, or more than one.
    static func parse(_ arguments: inout ArgumentCursor) throws(UsageError) -> String {
        let words = arguments.takeOperands()
        guard let word = words.first else { throw UsageError("name an app; 'offstage app list' shows them") }
        guard words.count == 1 else { throw UsageError("'\(words[1])' is one too many: name one app") }
        return word
    }
}

extension DaemonConnection {
    /// The app that the user means.
    ///
    /// - Parameters:
    ///   - word: the word on the command line.
    ///   - context: provides the base of relative paths.
    /// - Returns: its current row.
    /// - Throws: `CommandFailure` when there is none, or more than one; `OffstageError`.
    package func app(_ word: String, _ context: CommandContext) throws -> AppRow {
        let rows = try send(ListApps()).rows
        let path = try context.absolute(word.hasPrefix("./") ? String(word.dropFirst(2)) : word)
        switch AppName.find(word, path: path, among: rows.map(\.id)) {
        case .one(let id):
            if let row = rows.first(where: { $0.id == id }) { return row }
            throw CommandFailure("There is no app '\(id)'.", .notFound)
        case .several(let ids):
            throw CommandFailure("'\(word)' could be \(ids.joined(separator: " or ")): give more of the name.", .usage)
        case .none(let closest):
            let advice =
                closest.map { "did you mean '\($0)'?" }
                ?? (rows.isEmpty
                    ? "no app is registered; 'offstage app install PATH' registers one."
                    : "'offstage app list' shows those that exist.")
            throw CommandFailure("There is no app '\(word)': \(advice)", .notFound)
        }
    }
}
