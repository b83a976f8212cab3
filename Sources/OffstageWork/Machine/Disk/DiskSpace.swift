// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Whether there is room for the files of deferred work.
package enum DiskSpace {
    /// The bytes that must stay free, so that deferred work does not use up the disk.
    package static let leastFree: UInt64 = 64 << 20

    /// Blocking: the disk may not answer.
    ///
    /// - Parameter folder: a folder on the disk in question.
    /// - Returns: bytes that this user may write; nil if that cannot be determined.
    package static func free(at folder: String) -> UInt64? {
        var facts = statvfs()
        guard statvfs(folder, &facts) == 0 else { return nil }
        return bytes(blocks: UInt64(facts.f_bavail), size: UInt64(facts.f_frsize))
    }

    /// Blocks times bytes: a network disk may report an impossible amount, which counts as plenty.
    package static func bytes(blocks: UInt64, size: UInt64) -> UInt64 {
        let (bytes, overflows) = blocks.multipliedReportingOverflow(by: size)
        return overflows ? .max : bytes
    }
}
