// SPDX-License-Identifier: Apache-2.0
import CZlib
import OffstageCore

/// Decodes one content coding with zlib, one buffer at a time.
final class InflateStage {
    private enum State {
        /// The format is undecided: for deflate, fewer than two bytes have arrived.
        case beginning
        /// Within a compressed stream.
        case inside
        /// After the end of a stream.
        case ended
        /// In the zeros with which some writers pad the data after the end.
        case padding
    }

    private let coding: ContentCoding
    /// On the heap: zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let buffer: UnsafeMutablePointer<UInt8>
    private var state = State.beginning
    /// How many decoded bytes remain in the buffer, from `start` on.
    private var count = 0
    private var start = 0
    /// The first byte of a deflated body, until the second one reveals the format.
    private let first = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    private var hasFirst = false
    /// Whether zlib may produce more output without further input, since the buffer was too short.
    private var isFilled = false

    private static let bufferSize = 65_536
    /// zlib's window parameter for a gzip stream with the largest window.
    private static let gzipBits: Int32 = 31
    /// The same for zlib's own wrapper.
    private static let zlibBits: Int32 = 15
    /// The same for a stream without any wrapper.
    private static let rawBits: Int32 = -15
    /// The first byte of gzip (RFC 1952, section 2.3.1).
    private static let gzipMark: UInt8 = 0x1f

    init(_ coding: ContentCoding) throws(BodyDecoder.Problem) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let bits = coding == .gzip ? Self.gzipBits : Self.zlibBits
        let code = inflateInit2_(stream, bits, ZLIB_VERSION, Int32(clamping: MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            stream.deallocate()
            first.deallocate()
            throw Self.problem(code)
        }
        self.coding = coding
        self.stream = stream
        buffer = .allocate(capacity: Self.bufferSize)
    }

    deinit {
        // The only possible error is a stream that was never initialized.
        _ = inflateEnd(stream)
        stream.deallocate()
        buffer.deallocate()
        first.deallocate()
    }

    /// The decoded bytes that have not been removed; nil for none.
    var output: UnsafeRawBufferPointer? {
        // checked: both within the buffer
        count > 0 ? UnsafeRawBufferPointer(start: buffer + start, count: count) : nil
    }

    /// Removes the first bytes of the output.
    func drop(_ taken: Int) {
        let taken = min(max(0, taken), count)
        start += taken  // checked: within the buffer
        count -= taken  // checked: at most the count
    }

    /// Whether the body may end here: after a stream, or before any.
    var isWhole: Bool {
        switch state {
        case .beginning: !hasFirst
        case .inside: false
        case .ended, .padding: count == 0
        }
    }

    /// Decodes until there is output, or the input is used up. Call it only while there is no output.
    ///
    /// - Returns: how many bytes of the input were used.
    func run(_ input: UnsafeRawBufferPointer) throws(BodyDecoder.Problem) -> Int {
        var used = 0
        while count == 0, used < input.count || isFilled {
            // checked: at most the input's count, by `advance`
            used += try advance(UnsafeRawBufferPointer(rebasing: input[used...]))
        }
        return used
    }

    /// Advances one step: uses some of the input to produce output or to change the state.
    private func advance(_ input: UnsafeRawBufferPointer) throws(BodyDecoder.Problem) -> Int {
        switch state {
        case .beginning: return try begin(input)
        case .inside: return try inflateSome(input)
        case .ended:
            guard let byte = input.first else { return 0 }
            if byte == 0 {
                state = .padding
            } else {
                // Several members of gzip are one body (RFC 1952, section 2.2).
                guard coding == .gzip, byte == Self.gzipMark else { throw .damaged }
                try check(inflateReset(stream))
                state = .inside
            }
            return 0
        case .padding:
            guard input.allSatisfy({ $0 == 0 }) else { throw .damaged }
            return input.count
        }
    }

    private func begin(_ input: UnsafeRawBufferPointer) throws(BodyDecoder.Problem) -> Int {
        guard coding == .deflate else {
            state = .inside
            return 0
        }
        guard let byte = input.first else { return 0 }
        guard hasFirst else {
            first.pointee = byte
            hasFirst = true
            return 1
        }
        // "deflate" means zlib's wrapper; some servers omit it.
        if !Self.isZlibHeader(first.pointee, byte) { try check(inflateReset2(stream, Self.rawBits)) }
        state = .inside
        // It is passed to zlib separately, since it no longer precedes the input in memory.
        guard try inflateSome(UnsafeRawBufferPointer(start: first, count: 1)) == 1 else { throw .damaged }
        return 0
    }

    /// Whether two bytes are the header of zlib's format (RFC 1950, section 2.2).
    private static func isZlibHeader(_ first: UInt8, _ second: UInt8) -> Bool {
        // checked: two bytes make no more than 65535
        first & 0x0f == 8 && first >> 4 <= 7 && (UInt32(first) * 256 + UInt32(second)) % 31 == 0
    }

    private func inflateSome(_ input: UnsafeRawBufferPointer) throws(BodyDecoder.Problem) -> Int {
        let given = min(input.count, Int(clamping: Int32.max))
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(clamping: given)
        stream.pointee.next_out = buffer
        stream.pointee.avail_out = UInt32(clamping: Self.bufferSize)
        let code = inflate(stream, Z_NO_FLUSH)
        // checked: zlib only counts them down
        let used = given - Int(stream.pointee.avail_in)
        start = 0
        count = Self.bufferSize - Int(stream.pointee.avail_out)
        isFilled = stream.pointee.avail_out == 0
        switch code {
        case Z_OK: break
        // zlib needs more input, or more room: the buffer is empty at each call.
        case Z_BUF_ERROR where input.isEmpty || used > 0 || count > 0: break
        case Z_STREAM_END:
            state = .ended
            isFilled = false
        default: throw Self.problem(code)
        }
        return used
    }

    private func check(_ code: Int32) throws(BodyDecoder.Problem) {
        guard code == Z_OK else { throw Self.problem(code) }
    }

    private static func problem(_ code: Int32) -> BodyDecoder.Problem {
        switch code {
        // HTTP has no way to specify a dictionary.
        case Z_DATA_ERROR, Z_NEED_DICT, Z_BUF_ERROR: .damaged
        case Z_MEM_ERROR: .noMemory
        default: .library(code)
        }
    }
}
