// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageFiles

/// Why the daemon does not start, or stops.
package enum DaemonError: Error, Sendable {
    case settings(SettingsError)
    case store(StoreError)
    /// Another daemon holds the lock.
    case alreadyRunning(lockPath: String)
    case socket(path: String, detail: String)
    case folder(path: String, detail: String)
    /// `OFFSTAGE_HOME` is a folder that other users use, and that holds other files.
    case sharedHome(path: String, holding: String?)
    case cannotStart(String)
    case usage(String)
    /// Standard output cannot be written.
    case output(String)

    /// One sentence that states the failure, the affected file or folder, and the remedy.
    package var sentence: String {
        switch self {
        case .settings(let error): error.sentence
        case .store(let error): error.sentence
        case .alreadyRunning(let path):
            "Another offstaged is already running for this user (it holds \(path)): use 'offstage daemon status' to see it."
        case .socket(let path, let detail):
            "The socket \(path) cannot be created (\(detail)): check the permissions of its folder."
        case .folder(let path, let detail):
            PrivateFolder.Failure(path: path, detail: detail).sentence
        case .sharedHome(let path, let other):
            "OFFSTAGE_HOME is \(path), which others can enter\(other.map { " and which holds \($0.redactedControls)" } ?? ""): name a folder for Offstage alone."
        case .cannotStart(let detail): "offstaged cannot start: \(detail)."
        case .usage(let detail): "\(detail); see 'offstaged --help'."
        case .output(let detail): "Standard output cannot be written (\(detail)): free some space, or write elsewhere."
        }
    }

    /// The numbers of sysexits.h, and 3 if a daemon already runs.
    package var exitStatus: Int32 {
        switch self {
        case .settings: 78
        case .store, .output: 74
        case .alreadyRunning: 3
        case .socket, .folder, .sharedHome: 73
        case .cannotStart: 71
        case .usage: 64
        }
    }
}
