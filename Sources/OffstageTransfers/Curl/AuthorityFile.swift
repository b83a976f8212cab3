// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// A file of certificate authorities, or another file that a user named for libcurl. It is checked before libcurl reads
/// it on a shared thread: a pipe would block that thread, and a device would fill the memory.
enum AuthorityFile {
    /// The longest accepted file, in bytes: many times the size of all the world's authorities.
    static let longest: Int64 = 16 << 20

    /// Errors from a temporary shortage, which is no reason to give up a transfer.
    private static let passing = [EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN]

    /// Checks a file that libcurl will read.
    ///
    /// - Parameters:
    ///   - path: the file's path.
    ///   - what: what the file is, for messages.
    /// - Returns: a failure that says why the file cannot be used; nil if it can.
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

    /// Checks the files of a connection's options that libcurl would read on the engine's thread.
    ///
    /// - Parameter connection: the options.
    /// - Returns: a failure that says why one of them cannot be used; nil if all can.
    static func problem(of connection: ConnectionOptions) -> TransferFailure? {
        let files = [
            (connection.certificatePath, "client's certificate"), (connection.keyPath, "client's key"),
            (connection.netrcPath, "file of passwords"),
        ]
        for (path, what) in files {
            if let path, let problem = problem(at: path, what) { return problem }
        }
        return nil
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
