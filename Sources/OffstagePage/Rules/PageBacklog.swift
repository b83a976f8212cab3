// SPDX-License-Identifier: Apache-2.0

/// The data still to be sent to a page. Memory of sent data is released, however far behind the page is.
package struct PageBacklog: Sendable {
    private var bytes: [UInt8]
    private var first = 0
    /// The most bytes that may be kept after they were sent.
    package static let most = 64 << 10

    package init(_ text: String = "") { bytes = Array(text.utf8) }

    /// Bytes still to be sent.
    package var count: Int { bytes.count - first }  // checked: never more is sent than there is
    /// Bytes held in memory.
    package var held: Int { bytes.count }

    package mutating func append(_ text: String) {
        if first > Self.most {
            bytes.removeFirst(first)
            first = 0
        }
        bytes += text.utf8
    }

    /// Copies as many bytes as fit.
    ///
    /// - Parameter buffer: the destination.
    /// - Returns: the number of bytes copied.
    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, self.count)
        bytes[first..<first + count].withUnsafeBytes { buffer.copyMemory(from: $0) }  // checked: within both
        first += count
        if first == bytes.count { (bytes, first) = ([], 0) }
        return count
    }
}
