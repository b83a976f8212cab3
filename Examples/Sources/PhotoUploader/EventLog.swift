// SPDX-License-Identifier: Apache-2.0
import Foundation

/// One line for each event; it survives the program, which reads it when it starts again.
final class EventLog {
    private let file: FileHandle

    init(at url: URL) throws {
        if !FileManager.default.fileExists(atPath: url.path) {
            try Data().write(to: url)
        }
        file = try FileHandle(forWritingTo: url)
        try file.seekToEnd()
    }

    func note(_ line: String) {
        try? file.write(contentsOf: Data((line + "\n").utf8))
    }
}
