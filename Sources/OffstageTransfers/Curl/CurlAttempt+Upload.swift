// SPDX-License-Identifier: Apache-2.0
import CCurl
package import Glibc
package import OffstageCore

/// Sends the upload's source to the server.
extension CurlAttempt {
    /// Reads the next piece of the source for libcurl; 0 is its end.
    func readSource(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let body else { return 0 }
        let left = Int(min(Int64(buffer.count), body.count - position))
        guard left > 0 else { return 0 }
        let granted = pace.grant(left, now: .now)
        guard granted > 0 else { return Int(CURL_READFUNC_PAUSE) }
        switch body.read(into: .init(rebasing: buffer[..<granted]), at: position) {
        case .success(let count):
            position += Int64(count)
            pace.sent(count)
            return count
        case .failure(let failure):
            refuse(failure)
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// Whether a final answer arrived before the whole body was sent, and libcurl would keep the connection
    /// nevertheless: a server that continues to read would take another transfer's request for the rest of the body.
    /// After redirects and other errors libcurl closes the connection.
    var isAnsweredEarly: Bool {
        let status = response.head.status
        return isUpload && sent < bodySize && !trail.isFetchingAnswer && ((200..<300).contains(status) || status == 417)
    }

    /// Rewinds the source when libcurl wants to send it again: after a redirect, a challenge, or the end of a reused
    /// connection.
    func rewindSource(to offset: Int64) -> Bool {
        guard (0...bodySize).contains(offset) else { return false }  // checked: a body has no negative length
        // The head of a redirect may be incomplete: libcurl rewinds when it reads its location.
        let isMoving = isRedirect && !response.head.isComplete
        guard request.sendsBodyAgain || trail.takesBodyAgain(isMoving: isMoving) else { return false }
        position = offset
        return true
    }
}

extension FileIdentity {
    /// The identity of the file at a path; nil with errno set. Blocking.
    package init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// - Parameter status: a value filled in by `stat` or `fstat`.
    package init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: FileIdentity.nanoseconds(seconds: status.st_mtim.tv_sec, and: status.st_mtim.tv_nsec)
        )
    }
}
