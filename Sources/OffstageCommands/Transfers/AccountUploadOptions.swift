// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

/// The options that only apply to an upload to an account.
package struct AccountUploadOptions: Sendable, Equatable {
    package static let options: [CommandOption] = [
        CommandOption(
            "--mode",
            value: "MODE",
            kind: .words(["add", "overwrite", "update="]),
            help: "to an account: add (another file there is a conflict), overwrite, or update=REV"
        ),
        CommandOption("--autorename", help: "to an account: choose another name if there is a conflict"),
        CommandOption("--mute", help: "to an account: its apps do not announce the file"),
        CommandOption("--strict-conflict", help: "to an account: the same content there is a conflict, too"),
    ]

    package var mode: DropboxWriteMode = .add
    package var autorename = false
    package var mute = false
    package var strictConflict = false
    /// The given options, as written on command lines.
    package var given: [String] = []

    package init() {}

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        if let mode = try arguments.takeValue("--mode", "add, overwrite or update=REV", Self.mode) {
            self.mode = mode
            given.append("--mode")
        }
        autorename = arguments.takeFlag("--autorename")
        mute = arguments.takeFlag("--mute")
        strictConflict = arguments.takeFlag("--strict-conflict")
        for (isGiven, name) in [
            (autorename, "--autorename"), (mute, "--mute"), (strictConflict, "--strict-conflict"),
        ] where isGiven {
            given.append(name)
        }
        if case .update(let revision) = mode, !DropboxWriteMode.isRevision(revision) {
            throw UsageError(
                "'\(revision)' is not a revision, which --mode update= takes: copy the 'rev' that Dropbox gives for the file"
            )
        }
    }

    private static func mode(_ text: String) -> DropboxWriteMode? {
        switch text {
        case "add": .add
        case "overwrite": .overwrite
        default: text.hasPrefix("update=") ? .update(revision: String(text.dropFirst(7))) : nil
        }
    }

    /// The parameters of an upload to a place in an account.
    package func parameters(_ target: AccountTarget, at account: Account, of file: FileIdentity) -> DropboxParameters {
        let endpoints = account.dropbox?.endpoints ?? .dropbox
        var parameters = DropboxParameters(account: account.name, path: target.path, endpoints: endpoints)
        parameters.mode = mode
        parameters.autorename = autorename
        parameters.mute = mute
        parameters.strictConflict = strictConflict
        let seconds = Double(file.modified) / 1e9
        // A time that Dropbox cannot show is left out.
        if seconds >= 0 { parameters.clientModified = Date(timeIntervalSince1970: seconds) }
        return parameters
    }
}
