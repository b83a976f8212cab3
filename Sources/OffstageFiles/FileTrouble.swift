// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What a file's system call errors mean for a transfer: one table for all code that opens, creates, reads, writes,
/// syncs or renames files.
package enum FileTrouble: Sendable, Equatable {
    /// Temporary, so try again.
    case passing
    /// Remains until a person acts.
    case needsPerson
    /// Permanent.
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
}
