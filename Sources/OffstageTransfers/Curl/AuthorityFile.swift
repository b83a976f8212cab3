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

    /// Why the file cannot be used; nil when it can.
    static func problem(at path: String) -> TransferFailure? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return unreadable(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return unreadable(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { return unusable(path, "it is not an ordinary file") }
        return status.st_size > longest ? unusable(path, "it is longer than \(longest) bytes") : nil
    }

    private static func unreadable(_ path: String, _ code: Int32) -> TransferFailure {
        let detail = String(cString: strerror(code))
        return passing.contains(code)
            ? .init(.daemonInterrupted, "the certificate file \(path) could not be read just now: \(detail)")
            : unusable(path, detail)
    }

    private static func unusable(_ path: String, _ detail: String) -> TransferFailure {
        .init(.certificateFileUnreadable, "the certificate file \(path) cannot be read: \(detail)")
    }
}
