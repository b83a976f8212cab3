// SPDX-License-Identifier: Apache-2.0

/// Why paths or settings cannot be used.
package enum SettingsError: Error, Sendable, Hashable {
    case noHome
    case homeIsRelative(String)
    case socketPathTooLong(String)
    /// The path to a place of the daemon leads through another user's folder.
    case foreignFolder(path: String, owner: UInt32, place: String)
    /// This user may not enter a folder on the path to a place of the daemon.
    case closedFolder(path: String, place: String)
    case unreadable(path: String, detail: String)
    /// The settings name commands, and another user could have written them.
    case untrusted(path: String, PathDoubt)
    case invalid(path: String, detail: String)

    /// One sentence that says what happened, to what, and what to do about it.
    package var sentence: String {
        switch self {
        case .noHome: "Neither OFFSTAGE_HOME nor HOME is set: set one of them to an absolute path."
        case .homeIsRelative(let path): "OFFSTAGE_HOME is '\(path)', which is not an absolute path: begin it with /."
        case .socketPathTooLong(let path):
            "The socket path \(path) has \(path.utf8.count) bytes, but Linux allows \(OffstagePaths.longestSocketPath): set OFFSTAGE_HOME or XDG_RUNTIME_DIR to a shorter folder."
        case .foreignFolder(let path, let owner, let place):
            "The folder \(path), on the path to \(place), belongs to user \(owner) and not to this one: set HOME, or OFFSTAGE_HOME, to a folder of your own."
        case .closedFolder(let path, let place):
            "The folder \(path), on the path to \(place), is not accessible to this user: set HOME, or OFFSTAGE_HOME, to a folder of your own."
        case .unreadable(let path, let detail):
            "The settings \(path) cannot be read (\(detail)): make it a regular file that you may read."
        case .untrusted(let path, let doubt):
            "The settings \(path), which may name commands, could have been changed by another user (\(doubt.detail)): \(doubt.advice)."
        case .invalid(let path, let detail):
            "The settings \(path) are not usable: \(detail). Correct the file or move it away."
        }
    }
}
