// SPDX-License-Identifier: Apache-2.0

/// The space that downloads and answers leave free on a disk. It keeps a server from filling a disk that others need,
/// such as the store, without which the daemon cannot work.
package enum DiskReserve {
    /// The reserve on a large disk, in bytes; a sixteenth of a small disk is kept free.
    package static let most: Int64 = 64 << 20
    /// Bytes written to a file before the free space is checked again.
    package static let checkInterval: Int64 = 1 << 20

    /// Bytes that may still be written.
    ///
    /// - Parameters:
    ///   - free: the bytes that this user may write.
    ///   - size: bytes of the whole disk.
    /// - Returns: the room; below 0 if the reserve is in use.
    package static func room(free: Int64, size: Int64) -> Int64 {
        max(0, free) - reserve(size: size)
    }

    /// Bytes to leave free.
    package static func reserve(size: Int64) -> Int64 { min(most, max(0, size) / 16) }
}
