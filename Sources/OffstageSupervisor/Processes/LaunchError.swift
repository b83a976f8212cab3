// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// Why an app could not be launched.
package enum LaunchError: Error, Sendable, Hashable {
    /// Its log cannot be written.
    case log(path: String, code: Int32)
    case workingDirectory(String, code: Int32)
    case executable(String, code: Int32)
    /// Another user could have placed the file at its path.
    case untrusted(String, PathDoubt)
    /// The kernel allows no new process.
    case process(code: Int32)
    /// The program had not begun in time.
    case tooLate(String, workingDirectory: String)
    /// The process ended before it could be inspected.
    case endedAtOnce(String)

    /// One sentence that states the failure, the affected file, and the remedy.
    package var sentence: String {
        switch self {
        case .log(let path, let code):
            "The app's log \(path) cannot be written (\(Self.text(code))): check the permissions of its folder."
        case .workingDirectory(let path, let code):
            "The app's working directory \(path) cannot be entered (\(Self.text(code))): launch the app once from another."
        case .executable(let path, let code) where !isForGood:
            "The app's executable \(path) cannot be run now (\(Self.text(code))): check whether it is being written, and how much memory is free."
        case .executable(let path, let code):
            "The app's executable \(path) cannot be run (\(Self.text(code))): install the app again."
        case .untrusted(let path, let doubt):
            "The app \(path) is not launched, since it could have been changed by another user (\(doubt.detail)): \(doubt.advice)."
        case .process(let code):
            "No process can be started for the app (\(Self.text(code))): check how many are running, and how much memory is free."
        case .tooLate(let path, let folder):
            "The app's executable \(path), or its working directory \(folder), does not respond: check that their file systems are mounted."
        case .endedAtOnce(let path):
            "The app's executable \(path) ended at once: see the app's log."
        }
    }

    /// Whether the program itself is at fault, so that only another installation helps. A folder may be on a drive that
    /// is currently missing.
    package var isForGood: Bool {
        switch self {
        case .executable(_, let code): [ENOENT, ENOTDIR, EACCES, EPERM, ENOEXEC, ELOOP].contains(code)
        case .untrusted: true
        case .log, .workingDirectory, .process, .tooLate, .endedAtOnce: false
        }
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
