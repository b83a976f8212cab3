// SPDX-License-Identifier: Apache-2.0

/// What downloads and answers leave free of a disk, so that a server can fill no disk that others write to: the store,
/// for one, without which nothing goes on.
package enum DiskReserve {
    /// Bytes of a large disk; of a small one a sixteenth.
    package static let most: Int64 = 64 << 20
    /// A file's room is looked at again each time that so many bytes were written.
    package static let checkInterval: Int64 = 1 << 20

    /// Bytes that may still be written.
    ///
    /// - Parameters:
    ///   - free: bytes that this user may write.
    ///   - size: bytes of the whole disk.
    /// - Returns: the room; below 0 where the reserve is touched.
    package static func room(free: Int64, size: Int64) -> Int64 {
        max(0, free) - reserve(size: size)
    }

    /// Bytes that are left free.
    package static func reserve(size: Int64) -> Int64 { min(most, max(0, size) / 16) }
}
