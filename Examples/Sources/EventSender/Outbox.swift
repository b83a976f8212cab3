// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The events that have not arrived, each in its own file, which is also the body of its upload.
struct Outbox: Sendable {
    let folder: URL

    init(in parent: URL) throws {
        folder = parent.appendingPathComponent("Outbox", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A half-written event of a killed launch.
        for file in try files() where file.pathExtension == "new" { try FileManager.default.removeItem(at: file) }
    }

    var isEmpty: Bool { (try? files().isEmpty) ?? true }

    func files() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }

    /// Writes an event atomically: its file exists complete or not at all.
    func add(_ event: Event) throws -> URL {
        let file = self.file(named: event.id.uuidString + ".json")
        let unfinished = file.appendingPathExtension("new")
        try JSONEncoder().encode(event).write(to: unfinished)
        try FileManager.default.moveItem(at: unfinished, to: file)
        return file
    }

    func contains(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: file(named: name).path)
    }

    func remove(_ name: String) {
        try? FileManager.default.removeItem(at: file(named: name))
    }

    private func file(named name: String) -> URL {
        folder.appendingPathComponent(name)
    }
}
