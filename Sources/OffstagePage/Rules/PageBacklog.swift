// SPDX-License-Identifier: Apache-2.0

/// What a page is still to be sent. What has been sent is given back, however far a page is behind.
package struct PageBacklog: Sendable {
    private var bytes: [UInt8]
    private var first = 0
    /// Bytes that may be kept beside those that are still to be sent.
    package static let most = 64 << 10

    package init(_ text: String = "") { bytes = Array(text.utf8) }

    /// Bytes that are still to be sent.
    package var count: Int { bytes.count - first }  // checked: never more is sent than there is
    /// Bytes that are held.
    package var held: Int { bytes.count }

    package mutating func append(_ text: String) {
        if first > Self.most {
            bytes.removeFirst(first)
            first = 0
        }
        bytes += text.utf8
    }

    /// Hands on what fits.
    ///
    /// - Parameter buffer: where to.
    /// - Returns: how many bytes it were.
    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, self.count)
        bytes[first..<first + count].withUnsafeBytes { buffer.copyMemory(from: $0) }  // checked: within both
        first += count
        if first == bytes.count { (bytes, first) = ([], 0) }
        return count
    }
}
