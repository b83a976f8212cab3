// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Periodically checks, while a file is written, whether its disk has room.
struct RoomWatch {
    /// Bytes to write before the disk is checked next.
    private var left = DiskReserve.checkInterval

    /// Counts bytes that are about to be written.
    ///
    /// - Returns: the disk's room if none is left; nil if there is some, or no check is due.
    mutating func shortage(after count: Int, of descriptor: Int32) -> DiskRoom? {
        left -= Int64(count)  // checked: bytes in memory, until none are left
        guard left <= 0 else { return nil }
        left = DiskReserve.checkInterval
        return DiskRoom(of: descriptor).flatMap { $0.bytes <= 0 ? $0 : nil }
    }
}
