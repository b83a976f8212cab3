// SPDX-License-Identifier: Apache-2.0

/// Splits a stream of bytes into frames. A value, fed by the socket's reader.
package struct FrameDecoder: Sendable {
    /// Why the stream is unusable: its reader closes it.
    package enum Violation: Error, Sendable, Equatable {
        case frameTooLong(UInt32)
        case malformed
    }

    private var buffer: [UInt8] = []
    private var start = 0

    package init() {}

    /// Appends bytes as they arrive.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if start > 0, start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.count <= 65_536)
            start = 0
        } else if start > 1 << 20 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next complete frame, or nil until more bytes have arrived.
    package mutating func next() throws(Violation) -> WireFrame? {
        let available = buffer.count - start
        guard available >= 4 else { return nil }
        let length = bigEndian(at: start)
        // The length is checked before the body arrives: a peer cannot make the reader buffer without a limit.
        guard length <= WireFrame.maximumLength else { throw .frameTooLong(length) }
        guard length >= 6 else { throw .malformed }
        guard available >= 4 + Int(length) else { return nil }
        guard let kind = WireFrame.Kind(rawValue: buffer[start + 4]) else { throw .malformed }
        let nameLength = Int(buffer[start + 9])
        guard 6 + nameLength <= Int(length) else { throw .malformed }
        let nameEnd = start + 10 + nameLength
        let end = start + 4 + Int(length)
        guard let name = String(validating: buffer[start + 10..<nameEnd], as: UTF8.self) else { throw .malformed }
        let frame = WireFrame(
            kind: kind,
            exchange: bigEndian(at: start + 5),
            name: name,
            payload: Array(buffer[nameEnd..<end])
        )
        start = end
        // The memory of a long frame is released at once: its sender may be silent for days.
        if start == buffer.count, buffer.capacity > 65_536 {
            buffer = []
            start = 0
        }
        return frame
    }

    /// Whether `next` has a result: a complete frame, or a violation.
    package var hasNext: Bool {
        let available = buffer.count - start
        guard available >= 4 else { return false }
        let length = bigEndian(at: start)
        return length > WireFrame.maximumLength || length < 6 || available >= 4 + Int(length)  // checked: 32 bits
    }

    /// Whether an incomplete frame is buffered.
    package var isMidFrame: Bool { buffer.count > start }

    /// The memory held, in bytes.
    package var heldBytes: Int { buffer.capacity }

    private func bigEndian(at index: Int) -> UInt32 {
        UInt32(buffer[index]) << 24 | UInt32(buffer[index + 1]) << 16
            | UInt32(buffer[index + 2]) << 8 | UInt32(buffer[index + 3])
    }
}
