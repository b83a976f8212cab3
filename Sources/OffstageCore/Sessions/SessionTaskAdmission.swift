// SPDX-License-Identifier: Apache-2.0

/// Whether to admit a task that an app hands over, because the daemon trusts no journal.
package struct SessionTaskAdmission: Sendable {
    /// The owner of the task.
    package var app: String
    /// The folder for the app's downloads.
    package var downloads: String
    /// The folder of bodies spooled by this or an earlier process of the app. They are deleted when the task has ended.
    package var spool: String

    /// The most bytes of a text of the app that a sentence quotes.
    package static let longestQuotation = 200

    package init(app: String, downloads: String, spool: String) {
        self.app = app
        self.downloads = downloads
        self.spool = spool
    }

    /// - Returns: the task's key.
    /// - Throws: `RequestError` with the mistake.
    package func check(_ spec: TransferSpec) throws(RequestError) -> SessionTaskKey {
        guard spec.owner == app else {
            // Its length has not been checked yet.
            let owner = spec.owner.first(bytes: Self.longestQuotation).redactedControls
            throw .invalidValue("\(app.redactedControls) handed over a task of \(owner)")
        }
        guard let key = spec.sessionTask else { throw .invalidValue("The task names no session") }
        if let problem = SessionName(app: app, identifier: key.session).problem {
            throw .invalidValue(String(problem.dropLast()))
        }
        guard key.task > 0 else { throw .invalidValue("The number of a task must be above 0") }
        guard spec.completionCommand == nil, !Self.printsTokens(spec) else {
            throw .invalidValue("A session's task runs no command")
        }
        guard spec.connectionsPerHost.map({ $0 > 0 }) ?? true else {
            throw .invalidValue("A session must allow at least one connection to a host")
        }
        try spec.validate()
        switch spec.direction {
        case .download(let target):
            guard Self.isFile(target.path, in: downloads) else {
                throw .invalidValue("A session's download must go to a file in \(downloads)")
            }
        case .upload, .form:
            guard spec.sources.allSatisfy({ !$0.isSnapshot || isSpooled($0.path) }) else {
                throw .invalidValue("A spooled body must be a file in \(spool) that is named after the process")
            }
        }
        return key
    }

    /// Whether a command would be run for the upload's tokens.
    private static func printsTokens(_ spec: TransferSpec) -> Bool {
        guard let dialect = spec.dialect, dialect.name == GCSParameters.dialect,
            let parameters = try? GCSParameters(dialect), case .command = parameters.identity
        else { return false }
        return true
    }

    private func isSpooled(_ path: String) -> Bool {
        Self.isFile(path, in: spool) && ProcessIdentity(spooledBody: String(path.dropFirst(spool.count + 1))) != nil
    }

    /// Whether a path is directly in the folder, and not a hidden file, which would be the daemon's own.
    private static func isFile(_ path: String, in folder: String) -> Bool {
        guard path.hasPrefix(folder + "/") else { return false }
        let name = path.dropFirst(folder.count + 1)
        return !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains(UInt8(ascii: "/"))
            && name.utf8.count <= 255
    }
}
