// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The folder with one file for the body of each request that brought bytes. Thread-safe.
final class SegmentFolder: Sendable {
    let path: String
    /// Whether the folder was created for this emulator, and is removed with it.
    private let isOwn: Bool
    /// A unique mark in the names of all its segments: an existing folder may hold those of a killed process with the
    /// same process ID.
    private let mark = "\(getpid())-\(String(UInt64.random(in: .min ... .max), radix: 16))"

    /// - Parameter path: created if it is missing; nil for a new temporary folder.
    /// - Throws: `DropboxEmulatorError` if the folder cannot be created.
    init(_ path: String?) throws(DropboxEmulatorError) {
        if let path {
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw .system("The folder \(path) cannot be made")
            }
            self.path = path
            isOwn = false
        } else {
            let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
            var template = Array("\(parent)/dropbox-emulator.XXXXXX".utf8CString)
            guard let made = mkdtemp(&template) else { throw .system("No folder can be made in \(parent)") }
            self.path = String(cString: made)
            isOwn = true
        }
    }

    /// Opens a new segment for writing, with a name that is unique on this machine.
    func create(_ number: Int) throws(DropboxEmulatorError) -> (name: String, descriptor: Int32) {
        let name = "segment-\(mark)-\(number)"
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("The file \(path)/\(name) cannot be made") }
        return (name, descriptor)
    }

    /// Opens a segment for reading; negative if it is gone.
    func read(_ name: String) -> Int32 { open("\(path)/\(name)", O_RDONLY | O_CLOEXEC) }

    func remove(_ names: [String]) {
        for name in names { unlink("\(path)/\(name)") }
    }

    /// Removes the folder if it was created for the emulator; its segments are already removed.
    func removeOwn() {
        if isOwn { rmdir(path) }
    }
}
