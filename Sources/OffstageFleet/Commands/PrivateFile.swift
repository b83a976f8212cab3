// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// A file that only this user can read, written atomically.
enum PrivateFile {
    struct Trouble: Error {
        /// A clause without a full stop.
        let detail: String
    }

    /// Replaces the file, durably before this returns.
    static func write(_ bytes: [UInt8], to path: String) throws(Trouble) {
        let folder = String(path[..<(path.lastSlash ?? path.startIndex)])  // checked: an index of this very text
        do throws(PrivateFolder.Failure) { try PrivateFolder.make(folder) } catch {
            throw Trouble(detail: error.detail)
        }
        let draft = "\(path).\(getpid())"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw system }
        defer { close(file) }
        errno = EIO
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, rename(draft, path) == 0 else {
            let trouble = system
            unlink(draft)
            throw trouble
        }
        let names = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard names >= 0 else { return }
        fsync(names)
        close(names)
    }

    private static var system: Trouble { Trouble(detail: String(cString: strerror(errno))) }
}
