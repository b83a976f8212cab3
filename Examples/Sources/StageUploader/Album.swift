// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The files that the app sends, `FOLDER SERVER` on the command line.
struct Album {
    /// A file moves from the first to the second when it is handed over, and to the third when it has arrived.
    enum Place: String, CaseIterable {
        case outbox = "Outbox"
        case sending = "Sending"
        case sent = "Sent"
    }

    /// The counterpart of Documents on a phone.
    let folder: URL
    let server: URL

    /// The album from the command line.
    static let current: Album = {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let server = URL(string: arguments[2]) else {
            print("usage: StageUploader FOLDER SERVER")
            exit(64)
        }
        return Album(folder: URL(fileURLWithPath: arguments[1], isDirectory: true), server: server)
    }()

    func file(_ name: String, in place: Place) -> URL {
        folder.appendingPathComponent(place.rawValue, isDirectory: true).appendingPathComponent(name)
    }

    func names(in place: Place) -> [String] {
        let path = folder.appendingPathComponent(place.rawValue).path
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    func move(_ name: String, from place: Place, to other: Place) throws {
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent(other.rawValue),
            withIntermediateDirectories: true
        )
        try FileManager.default.moveItem(at: file(name, in: place), to: file(name, in: other))
    }
}
