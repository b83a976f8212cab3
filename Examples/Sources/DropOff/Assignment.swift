// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The app's arguments: `FOLDER SERVER FILE [MODE]`.
struct Assignment {
    enum Mode: String {
        /// A background task is held for as long as the upload takes.
        case task
        /// The upload has no background task.
        case bare
        /// Nothing is uploaded; a background task is begun when the app is sent to background, and ended from there.
        case late
        /// Nothing is uploaded, and the app does not come back from being sent to background.
        case stuck
        /// The app's own client sends the file to Dropbox, with a background task.
        case client
        /// The file goes to the account at Dropbox, with callbacks and a background task.
        case account
        /// The file goes to the account at Dropbox, and the daemon is left alone with it.
        case daemon
    }

    /// The counterpart of Documents on a phone.
    let folder: URL
    /// The upload's server; for Dropbox with the app's own client, the address of its content routes.
    let server: URL
    let file: URL
    let mode: Mode

    /// The file's path at Dropbox.
    var path: String { "/DropOff/" + file.lastPathComponent }

    /// The assignment from the command line.
    static let current: Assignment = {
        guard let assignment = Assignment(CommandLine.arguments) else {
            print("usage: DropOff FOLDER SERVER FILE [task|bare|late|stuck|client|account|daemon]")
            exit(64)
        }
        return assignment
    }()

    private init?(_ arguments: [String]) {
        guard (4...5).contains(arguments.count), let server = URL(string: arguments[2]),
            let mode = Mode(rawValue: arguments.count == 5 ? arguments[4] : "task")
        else { return nil }
        folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
        self.server = server
        file = URL(fileURLWithPath: arguments[3])
        self.mode = mode
    }
}
