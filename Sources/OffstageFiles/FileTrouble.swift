// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The meaning of a file's system call errors for a transfer: one table for every place where files are opened, made,
/// read, written, synced and named.
package enum FileTrouble: Sendable, Equatable {
    /// It passes by itself, so try again.
    case passing
    /// It stays until a person acts.
    case needsPerson
    /// It is permanent.
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
