// SPDX-License-Identifier: Apache-2.0

/// The things that a member lends to its fleet: files in some folders, and accounts. The author of a row decides what
/// is sent where, so a row can reach nothing else on the machine: it runs no command, writes no file, and reads only
/// these files.
package struct FleetTrust: Sendable, Equatable {
    /// Absolute paths without a slash at the end, with links resolved.
    package let folders: [String]
    /// Names of the daemon's accounts, and paths of Google's key files.
    package let accounts: Set<String>

    /// - Parameters:
    ///   - folders: absolute paths with links resolved.
    ///   - accounts: names of accounts, and absolute paths of key files.
    package init(folders: [String], accounts: Set<String> = []) {
        self.folders = folders.map { $0 == "/" ? "" : $0 }
        self.accounts = accounts
    }

    /// Whether a path is inside one of the folders.
    ///
    /// - Parameter path: absolute, with links resolved.
    /// - Returns: whether it may be read for a row.
    package func reaches(_ path: String) -> Bool {
        path.hasPrefix("/") && !path.pathParts.contains { $0 == ".." || $0 == "." }
            && folders.contains { path.utf8.starts(with: "\($0)/".utf8) }
    }

    /// Refuses all files other than the ones to send. The daemon opens such a file by name at each attempt: anyone who
    /// can write in a shared folder could redirect the name to any other file of the machine after it was checked.
    private static func checkFiles(of spec: TransferSpec) throws(RequestError) {
        let connection = spec.connection
        if connection?.netrcPath != nil {
            throw .invalidValue(
                "A row of a fleet names no file of passwords: give user and password with --user, which are sealed"
            )
        }
        if connection?.certificatePath != nil || connection?.keyPath != nil {
            throw .invalidValue(
                "A row of a fleet names no client's certificate: send the file without --fleet, from where that is"
            )
        }
        if spec.certificateAuthorityPath != nil {
            throw .invalidValue(
                "A row of a fleet names no file of authorities: have the members' systems trust the authority"
            )
        }
    }

    /// Refuses anything that a row may not ask of a member. `reaches` checks the paths of the files to send once links
    /// are resolved.
    ///
    /// - Throws: `RequestError`, whose sentence is for the row's submitter.
    package func check(_ spec: TransferSpec) throws(RequestError) {
        guard spec.isUpload else { throw .invalidValue("A fleet only sends files") }
        guard spec.completionCommand == nil else { throw .invalidValue("A row of a fleet runs no command") }
        guard spec.sessionTask == nil, spec.predecessors.isEmpty, spec.mirrors == nil, spec.resumesFrom == nil,
            spec.resumePartial == nil, spec.keptUpload == nil
        else { throw .invalidValue("The row asks for something that only its own machine can do") }
        try Self.checkFiles(of: spec)
        guard !spec.sources.isEmpty, !spec.sources.contains(where: \.isSnapshot) else {
            throw .invalidValue("A row of a fleet names the files to send, and no private copy of one")
        }
        guard let dialect = spec.dialect else { return }
        if let account = try DialectTable.parameters(of: dialect).lentAccount() { try check(account: account) }
    }

    private func check(account: String) throws(RequestError) {
        guard accounts.contains(account) else {
            throw .invalidValue("The member does not share the account '\(account.redactedControls)'")
        }
    }

    /// A member that lends every account that a specification names: every member refuses what this one refuses.
    package init(lendingWhatItNames spec: TransferSpec) {
        let account = spec.dialect.flatMap { try? DialectTable.parameters(of: $0).lentAccount() }
        self.init(folders: [], accounts: Set([account].compactMap(\.self)))
    }
}
