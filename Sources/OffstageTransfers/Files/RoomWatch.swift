// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Looks now and then, while a file is written, whether its disk has room.
struct RoomWatch {
    /// Bytes written to the file since its disk's room was looked at.
    private var bytes: Int64 = 0

    /// Notes bytes that are written.
    ///
    /// - Returns: what room there is, where none is left; nil where there is some, and where it is not time to look.
    mutating func shortage(after count: Int, of descriptor: Int32) -> DiskRoom? {
        bytes += Int64(count)  // checked: bytes in memory, until the interval is full
        guard bytes >= DiskReserve.checkInterval else { return nil }
        bytes = 0
        return DiskRoom(of: descriptor).flatMap { $0.bytes <= 0 ? $0 : nil }
    }
}
