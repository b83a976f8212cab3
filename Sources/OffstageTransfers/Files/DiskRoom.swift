// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// The room on the disk of an open file.
package struct DiskRoom {
    /// Bytes that may still be written; below 0 if the reserve is in use.
    let bytes: Int64
    let free: Int64
    let reserve: Int64

    /// Nil if the file system does not report it.
    init?(of descriptor: Int32) {
        var space = statvfs()
        guard fstatvfs(descriptor, &space) == 0 else { return nil }
        let unit = Int64(clamping: space.f_frsize)
        let size = Self.product(Int64(clamping: space.f_blocks), unit)
        // Some FUSE and network file systems report only zeros.
        guard size > 0 else { return nil }
        free = Self.product(Int64(clamping: space.f_bavail), unit)
        reserve = DiskReserve.reserve(size: size)
        bytes = DiskReserve.room(free: free, size: size)
    }

    /// The failure for a disk whose only room is the reserve, which servers must not fill.
    ///
    /// - Parameters:
    ///   - path: the file's path.
    ///   - progress: how much of the file was written.
    /// - Returns: the failure.
    func failure(of path: String, _ progress: String) -> TransferFailure {
        .init(
            .diskFull,
            "the disk of \(path.redactedControls) is full \(progress): \(free) bytes are free, and \(reserve) are reserved"
        )
    }

    private static func product(_ count: Int64, _ unit: Int64) -> Int64 {
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        return overflow ? .max : product
    }
}
