// SPDX-License-Identifier: Apache-2.0

/// Why paths or settings cannot be used.
package enum SettingsError: Error, Sendable, Hashable {
    case noHome
    case homeIsRelative(String)
    case socketPathTooLong(String)
    case unreadable(path: String, detail: String)
    case invalid(path: String, detail: String)

    /// One sentence that says what happened, to what, and what to do.
    package var sentence: String {
        switch self {
        case .noHome: "Neither OFFSTAGE_HOME nor HOME is set: set one of them to an absolute path."
        case .homeIsRelative(let path): "OFFSTAGE_HOME is '\(path)', which is not an absolute path: begin it with /."
        case .socketPathTooLong(let path):
            "The socket path \(path) has \(path.utf8.count) bytes, but Linux allows \(OffstagePaths.longestSocketPath): set OFFSTAGE_HOME or XDG_RUNTIME_DIR to a shorter folder."
        case .unreadable(let path, let detail):
            "The settings \(path) cannot be read (\(detail)): check its permissions."
        case .invalid(let path, let detail):
            "The settings \(path) are not usable: \(detail). Correct the file or move it away."
        }
    }
}
