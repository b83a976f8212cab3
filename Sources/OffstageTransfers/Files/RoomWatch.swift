// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Periodically checks, while a file is written, whether its disk has room.
struct RoomWatch {
    /// Bytes written to the file since the disk was last checked.
    private var bytes: Int64 = 0

    /// Counts bytes that are about to be written.
    ///
    /// - Returns: the disk's room if none is left; nil if there is some, or no check is due.
    mutating func shortage(after count: Int, of descriptor: Int32) -> DiskRoom? {
        bytes += Int64(count)  // checked: bytes in memory, until the interval is full
        guard bytes >= DiskReserve.checkInterval else { return nil }
        bytes = 0
        return DiskRoom(of: descriptor).flatMap { $0.bytes <= 0 ? $0 : nil }
    }
}
