// SPDX-License-Identifier: Apache-2.0
import Foundation

/// One line for each event, over all launches.
struct EventLog: Sendable {
    /// The event files that earlier launches have handed over.
    let handedOverEarlier: Set<String>
    private let file: FileHandle

    init(in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent("events.log")
        let earlier = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        handedOverEarlier = Set(
            earlier.split(separator: "\n").filter { $0.hasPrefix("handed-over ") }.map { line in
                String(line.split(separator: " ")[1])
            }
        )
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
