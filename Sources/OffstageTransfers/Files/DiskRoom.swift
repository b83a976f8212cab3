// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// How much room there is on the disk of an open file.
struct DiskRoom {
    /// Bytes that may still be written; below 0 where the reserve is touched.
    let bytes: Int64
    let free: Int64
    let reserve: Int64

    /// nil where the file system does not tell.
    init?(of descriptor: Int32) {
        var space = statvfs()
        guard fstatvfs(descriptor, &space) == 0 else { return nil }
        let unit = Int64(clamping: space.f_frsize)
        let size = Self.product(Int64(clamping: space.f_blocks), unit)
        // Some of FUSE and of a network tell nothing but zeros.
        guard size > 0 else { return nil }
        free = Self.product(Int64(clamping: space.f_bavail), unit)
        reserve = DiskReserve.reserve(size: size)
        bytes = DiskReserve.room(free: free, size: size)
    }

    private static func product(_ count: Int64, _ unit: Int64) -> Int64 {
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        return overflow ? .max : product
    }
}
