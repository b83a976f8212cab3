// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// What the error of a system call on a file means to a transfer: one table for every place where files are opened,
/// made, read, written, synced and named.
package enum FileTrouble: Sendable, Equatable {
    /// It goes away by itself: tried again.
    case passing
    /// It stays until a person does something.
    case needsPerson
    /// It stays.
    case final

    package init(_ code: Int32) {
        switch code {
        case EINTR, EAGAIN, EMFILE, ENFILE, ENOMEM, ENOBUFS, EBUSY, ETXTBSY, ENOLCK, EDEADLK, ESTALE, ETIMEDOUT,
            EHOSTDOWN,
            EHOSTUNREACH, ENETDOWN, ENETUNREACH, ECONNREFUSED, ECONNRESET, ECONNABORTED, ENOTCONN:
            self = .passing
        case ENOENT, ENOTDIR, EEXIST, EACCES, EPERM, EROFS, ENOSPC, EDQUOT, EIO, EISDIR, ENXIO, ENODEV, ELOOP,
            ENAMETOOLONG, EFBIG, EXDEV, EMLINK, ENOTEMPTY, EOVERFLOW:
            self = .needsPerson
        default:
            self = .final
        }
    }

    /// What it means that a file to be sent cannot be opened or read.
    static func ofSource(_ code: Int32, _ path: String) -> TransferFailure {
        let name = path.redactedControls
        if FileTrouble(code) == .passing {
            return .init(.daemonInterrupted, "\(name) could not be read just now (\(text(code)))")
        }
        return switch code {
        case ENOENT, ENOTDIR: .init(.sourceMissing, "\(name) is not there any more")
        case EISDIR: .init(.sourceIsDirectory, "\(name) is a directory")
        default: .init(.sourceUnreadable, "\(name) cannot be read (\(text(code)))")
        }
    }

    /// What it means that a file cannot be made, written, synced or named.
    static func ofTarget(_ code: Int32, _ path: String) -> TransferFailure {
        let name = path.redactedControls
        if FileTrouble(code) == .passing {
            return .init(.daemonInterrupted, "\(name) could not be written just now (\(text(code)))")
        }
        return switch code {
        case ENOENT, ENOTDIR: .init(.targetDirectoryMissing, "the directory of \(name) does not exist")
        case ENOSPC: .init(.diskFull, "the disk is full where \(name) should go")
        case EDQUOT: .init(.diskFull, "this user's disk quota is used up where \(name) should go")
        case EEXIST: .init(.targetExists, "\(name) exists already")
        case EFBIG:
            .init(
                .targetNotWritable,
                "\(name) is larger than its file system allows, or 'ulimit -f' where the daemon was started"
            )
        default: .init(.targetNotWritable, "\(name) cannot be written (\(text(code)))")
        }
    }

    /// The same of a file that is being written; `progress` says how far it has got, as the end of a sentence.
    static func ofWriting(_ code: Int32, _ path: String, _ progress: String) -> TransferFailure {
        let name = path.redactedControls
        return switch code {
        case ENOSPC: .init(.diskFull, "the disk of \(name) is full \(progress)")
        case EDQUOT: .init(.diskFull, "this user's disk quota for \(name) is used up \(progress)")
        default: ofTarget(code, path)
        }
    }

    static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
