// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// A file of certificate authorities that somebody named, looked at before libcurl reads it on a thread that others
/// share: a pipe would keep that thread waiting, and a device would fill the memory.
enum AuthorityFile {
    /// Many times what the authorities of all the world take.
    static let longest: Int64 = 16 << 20

    /// Too little of something that comes back by itself: no reason to give a transfer up.
    private static let passing = [EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN]

    /// Looks at a file that libcurl is to read.
    ///
    /// - Parameters:
    ///   - path: the file's.
    ///   - what: what it is, for people.
    /// - Returns: a failure that says why; nil when it can be used.
    static func problem(at path: String, _ what: String = "certificate file") -> TransferFailure? {
        let name = "\(what) \(path)"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return unreadable(name, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return unreadable(name, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { return unusable(name, "it is not a regular file") }
        return status.st_size > longest ? unusable(name, "it is longer than \(longest) bytes") : nil
    }

    private static func unreadable(_ name: String, _ code: Int32) -> TransferFailure {
        let detail = String(cString: strerror(code))
        return passing.contains(code)
            ? .init(.daemonInterrupted, "the \(name) could not be read just now: \(detail)")
            : unusable(name, detail)
    }

    private static func unusable(_ name: String, _ detail: String) -> TransferFailure {
        .init(.certificateFileUnreadable, "the \(name) cannot be read: \(detail)")
    }
}
