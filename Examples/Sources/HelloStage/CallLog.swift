// SPDX-License-Identifier: Apache-2.0
import UIKit

/// Writes one line for each call to standard output, and to the file named by the first argument: seconds since the
/// machine was started, the call, and the app's state.
@MainActor
final class CallLog {
    private let files: [FileHandle]

    init() {
        var files = [FileHandle.standardOutput]
        if CommandLine.arguments.count > 1 {
            let path = CommandLine.arguments[1]
            if !FileManager.default.fileExists(atPath: path) {
                _ = FileManager.default.createFile(atPath: path, contents: nil)
            }
            if let file = FileHandle(forWritingAtPath: path) {
                _ = try? file.seekToEnd()
                files.append(file)
            }
        }
        self.files = files
    }

    func note(_ call: String, _ application: UIApplication) {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        let seconds = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
        let state =
            switch application.applicationState {
            case .active: "active"
            case .inactive: "inactive"
            case .background: "background"
            }
        let line = String(format: "%.6f", seconds) + " \(call) (\(state))\n"
        for file in files { try? file.write(contentsOf: Data(line.utf8)) }
    }
}
