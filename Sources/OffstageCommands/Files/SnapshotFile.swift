// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import Glibc
package import OffstageCore

/// A private copy of a file to send, so the file may be edited meanwhile.
package enum SnapshotFile {
    /// Copies a file: by reflink if the file system supports it, otherwise byte by byte; synced to the disk.
    ///
    /// - Returns: the copy's path and identity.
    /// - Throws: `CommandFailure` when the copy cannot be made or the file changed meanwhile.
    package static func make(of source: String, in folder: String) throws(CommandFailure) -> (
        path: String, identity: FileIdentity
    ) {
        let before = try SourceFile.identity(source)
        makeFolder(folder)
        let path = folder + "/" + name(for: source)
        do throws(CommandFailure) {
            try copy(source, to: path)
            guard try SourceFile.identity(source) == before else {
                throw CommandFailure(
                    "The file \(source) changed while it was being copied: try again when nothing writes to it."
                )
            }
            let copy = try SourceFile.identity(path)
            guard copy.size == before.size else {
                throw CommandFailure(
                    "The file \(source) changed while it was being copied: try again when nothing writes to it."
                )
            }
            return (path, copy)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Writes a private file; synced to the disk.
    ///
    /// - Returns: its path and identity.
    /// - Throws: `CommandFailure` when it cannot be written.
    package static func make(with bytes: [UInt8], in folder: String) throws(CommandFailure) -> (
        path: String, identity: FileIdentity
    ) {
        makeFolder(folder)
        let path = folder + "/" + name(for: "data")
        func failure() -> CommandFailure {
            let why = String(cString: strerror(errno))
            return CommandFailure("The body cannot be stored in \(folder) (\(why)): free some space.")
        }
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure() }
        defer { close(file) }
        do throws(CommandFailure) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw failure() }
                rest = rest.dropFirst(count)
            }
            guard fsync(file) == 0, offstage_sync_folder_of(path) == 0 else { throw failure() }
            return (path, try SourceFile.identity(path))
        } catch {
            unlink(path)
            throw error
        }
    }

    /// The file's own name after a unique identifier, within the 255 bytes of a name.
    static func name(for source: String) -> String {
        var name = source.pathParts.last ?? ""
        while name.utf8.count > 255 - SnapshotName.prefixLength { name.removeLast() }
        return UUID().uuidString + "-" + name
    }

    private static func makeFolder(_ path: String) {
        guard !path.isEmpty, access(path, F_OK) != 0 else { return }
        if let slash = path.lastSlash { makeFolder(String(path[..<slash])) }
        _ = offstage_make_folder(path, 0)
    }

    private static func copy(_ source: String, to path: String) throws(CommandFailure) {
        func failure(_ code: Int32) -> CommandFailure {
            let advice = code == ENOSPC ? "free some space" : "check the folder's permissions"
            return CommandFailure(
                "The snapshot \(path) of \(source) cannot be created (\(String(cString: strerror(code)))): \(advice), or leave out --snapshot."
            )
        }
        let from = open(source, O_RDONLY | O_CLOEXEC)
        guard from >= 0 else { throw failure(errno) }
        defer { close(from) }
        let to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard to >= 0 else { throw failure(errno) }
        defer { close(to) }
        if offstage_reflink(from, to) != 0 {
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            while true {
                let count = read(from, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw failure(errno) }
                if count == 0 { break }
                var offset = 0
                while offset < count {
                    let written = buffer.withUnsafeBytes {
                        write(to, $0.baseAddress.map { $0 + offset }, count - offset)
                    }
                    if written < 0, errno == EINTR { continue }
                    guard written > 0 else { throw failure(errno) }
                    offset += written
                }
            }
        }
        guard fsync(to) == 0, offstage_sync_folder_of(path) == 0 else { throw failure(errno) }
    }
}
