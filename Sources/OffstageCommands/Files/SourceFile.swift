// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// A file to send, which is checked before it is handed over.
package enum SourceFile {
    /// The file's current identity.
    ///
    /// - Throws: `CommandFailure`, one sentence, for a file that is missing, unreadable, a directory or not a regular
    ///   file.
    package static func identity(_ path: String) throws(CommandFailure) -> FileIdentity {
        // O_NONBLOCK: opening a named pipe would otherwise block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let code = errno
            switch code {
            case ENOENT, ENOTDIR: throw CommandFailure("There is no file \(path): check its name.")
            case EACCES, EPERM:
                throw CommandFailure("The file \(path) cannot be read: make it readable for this user.")
            case ENAMETOOLONG: throw CommandFailure("The name \(path) is too long for a file.")
            default: throw CommandFailure("The file \(path) cannot be opened (\(String(cString: strerror(code)))).")
            }
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CommandFailure("The file \(path) cannot be examined (\(String(cString: strerror(errno)))).")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return FileIdentity(status)
        case S_IFDIR:
            throw CommandFailure(
                "\(path) is a directory: end the URL with / to send the files in it, or pack it into one file first."
            )
        default: throw CommandFailure("\(path) is not a regular file: only regular files can be sent.")
        }
    }

    /// Whether there is a directory of that name.
    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

extension FileIdentity {
    init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: FileIdentity.nanoseconds(seconds: status.st_mtim.tv_sec, and: status.st_mtim.tv_nsec)
        )
    }
}
