// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// A member's small files, private to its user.
enum MemberFile {
    /// Writes or replaces a file atomically.
    ///
    /// - Parameters:
    ///   - bytes: the file's contents.
    ///   - path: an absolute path.
    ///   - isDurable: whether it must survive a power loss once this returns.
    /// - Throws: `MemberError`.
    static func write(_ bytes: [UInt8], to path: String, isDurable: Bool) throws(MemberError) {
        func refuse(_ code: Int32) -> MemberError {
            MemberError("The file \(path) cannot be written: \(String(cString: strerror(code))).")
        }
        let draft = path + ".new"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw refuse(errno) }
        errno = EIO
        let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count && (!isDurable || fsync(file) == 0)
        let code = errno
        close(file)
        guard isWritten, rename(draft, path) == 0 else {
            let reason = isWritten ? errno : code
            unlink(draft)
            throw refuse(reason)
        }
        if isDurable, offstage_sync_folder_of(path) != 0 { throw refuse(errno) }
    }

    /// Removes a file. It is not an error if there is none.
    ///
    /// - Throws: `MemberError`.
    static func remove(_ path: String) throws(MemberError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw MemberError("The file \(path) cannot be removed: \(String(cString: strerror(errno))).")
        }
    }
}
