// SPDX-License-Identifier: Apache-2.0
import CCurl
package import Glibc
package import OffstageCore

/// What goes to the server, and whether it is what was handed over.
extension CurlAttempt {
    /// libcurl wants the next piece of the source; 0 is its end.
    func readSource(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var wanted = Int(min(Int64(buffer.count), sourceSize - position))
        guard wanted > 0 else { return 0 }
        if allowance.limit != nil {
            let now = ContinuousClock.now
            wanted = min(wanted, allowance.available(now: now))
            guard wanted > 0 else {
                pause(now: now)
                return Int(CURL_READFUNC_PAUSE)
            }
        }
        while true {
            let count = pread(request.fileDescriptor, buffer.baseAddress, wanted, off_t(position))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                refuse(
                    count == 0
                        ? .init(.sourceChanged, "\(request.filePath) became shorter while it was being sent")
                        : .init(
                            .sourceUnreadable,
                            "\(request.filePath) cannot be read: \(String(cString: strerror(errno)))"
                        )
                )
                return Int(CURL_READFUNC_ABORT)
            }
            position += Int64(count)
            allowance.spend(count)
            return count
        }
    }

    /// libcurl sends the source again, after a redirect or a challenge.
    func rewindSource(to offset: Int64) -> Bool {
        guard (0...sourceSize).contains(offset) else { return false }
        position = offset
        return true
    }

    /// Why what was sent is not the file that was handed over, or nil if it is.
    func sourceFailure() -> TransferFailure? {
        guard case .upload(let source) = request.spec.direction else { return nil }
        var status = stat()
        guard fstat(request.fileDescriptor, &status) == 0, FileIdentity(status) == source.identity else {
            return .init(.sourceChanged, "\(request.filePath) was changed while it was being sent")
        }
        guard stat(request.filePath, &status) == 0 else {
            return errno == ENOENT
                ? .init(.sourceMissing, "\(request.filePath) was deleted while it was being sent")
                : .init(.sourceUnreadable, "\(request.filePath): \(String(cString: strerror(errno)))")
        }
        guard FileIdentity(status) == source.identity else {
            return .init(.sourceChanged, "\(request.filePath) was replaced while it was being sent")
        }
        return nil
    }
}

extension FileIdentity {
    /// - Parameter status: as `stat` or `fstat` filled it in.
    package init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        )
    }
}
