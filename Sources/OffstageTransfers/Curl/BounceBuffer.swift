// SPDX-License-Identifier: Apache-2.0

/// Moves bytes that are about to be written to a file, if the kernel would copy them slowly from their present address.
///
/// On x86-64 a copy takes more than twice as long if its destination is 1 to 31 bytes after its source, comparing only
/// their offsets within a page: each load then waits for a store that merely seems to overlap with it (Intel's
/// Optimization Reference Manual calls that 4-KByte aliasing; AMD's Zen 3 is slow at exactly these distances). libcurl
/// receives into the same buffer again and again, so hundreds of megabytes can be at the same distance from their
/// places in the file. Moving them costs far less than it saves.
///
/// Only the engine's thread uses it.
package final class BounceBuffer {
    /// The distances from a source to its destination, in bytes.
    private static let slowDistances: Range<UInt> = 1..<32
    private static let pageSize: UInt = 4096
    /// The most bytes that libcurl passes at once (`CURL_MAX_WRITE_SIZE`). Larger pieces are not moved.
    package static let capacity = 16_384
    /// Smaller pieces are not worth moving.
    package static let leastCount = 1024

    /// Page-aligned, and one page larger than the capacity; nil until it is first needed.
    private var memory: UnsafeMutableRawBufferPointer?

    package init() {}

    deinit { memory?.deallocate() }

    /// Whether the kernel copies slowly from an address to a position in a file.
    package static func isSlow(from address: UInt, to position: Int64) -> Bool {
        slowDistances.contains((UInt(truncatingIfNeeded: position) &- address) % pageSize)
    }

    /// The same bytes at an address from which they are copied fast.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to write.
    ///   - position: their position in the file.
    /// - Returns: `bytes`, or a copy of them, which the next call may overwrite.
    package func source(of bytes: UnsafeRawBufferPointer, writtenAt position: Int64) -> UnsafeRawBufferPointer {
        guard Self.leastCount <= bytes.count, bytes.count <= Self.capacity,
            Self.isSlow(from: UInt(bitPattern: bytes.baseAddress), to: position)
        else { return bytes }
        let memory = self.memory ?? allocate()
        // Half a page from the destination, and from the bytes as well.
        let start = Int((UInt(truncatingIfNeeded: position) &+ Self.pageSize / 2) % Self.pageSize)
        let moved = UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + bytes.count])
        moved.copyMemory(from: bytes)
        return UnsafeRawBufferPointer(moved)
    }

    private func allocate() -> UnsafeMutableRawBufferPointer {
        let page = Int(Self.pageSize)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.capacity + page, alignment: page)
        self.memory = memory
        return memory
    }
}
