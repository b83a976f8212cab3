// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Whether there is room for what deferred work may write.
package enum DiskSpace {
    /// Bytes that have to be free, so that deferred work does not take the last of them.
    package static let leastFree: UInt64 = 64 << 20

    /// - Parameter folder: a folder on the disk in question.
    /// - Returns: bytes that this user may write; nil when the folder cannot be asked.
    package static func free(at folder: String) -> UInt64? {
        var facts = statvfs()
        guard statvfs(folder, &facts) == 0 else { return nil }
        return bytes(blocks: UInt64(facts.f_bavail), size: UInt64(facts.f_frsize))
    }

    /// So many blocks of so many bytes: what a network's disk says may be more than there can be, which is plenty.
    package static func bytes(blocks: UInt64, size: UInt64) -> UInt64 {
        let (bytes, overflows) = blocks.multipliedReportingOverflow(by: size)
        return overflows ? .max : bytes
    }
}
