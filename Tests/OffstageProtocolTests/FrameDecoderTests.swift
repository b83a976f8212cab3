// SPDX-License-Identifier: Apache-2.0
import OffstageProtocol
import Testing

@Suite struct FrameDecoderTests {
    private static let frames = [
        WireFrame(kind: .request, exchange: 1, name: "submit", payload: Array("{}".utf8)),
        WireFrame(kind: .reply, exchange: 0xFEDC_BA98, payload: [UInt8](0...255)),
        WireFrame(kind: .failure, exchange: 3, payload: []),
        WireFrame(kind: .event, exchange: 0, name: "Übertragung", payload: [0]),
    ]

    private static var stream: [UInt8] { frames.flatMap { $0.encoded() } }

    private func drain(_ decoder: inout FrameDecoder) throws -> [WireFrame] {
        var frames: [WireFrame] = []
        while let frame = try decoder.next() { frames.append(frame) }
        return frames
    }

    @Test func `a frame has the layout that is documented`() {
        let frame = WireFrame(kind: .event, exchange: 0x0102_0304, name: "ab", payload: [9, 8])
        #expect(frame.encoded() == [0, 0, 0, 10, 4, 1, 2, 3, 4, 2, 97, 98, 9, 8])
    }

    @Test func `what is sent arrives, cut at any byte`() throws {
        let stream = Self.stream
        for cut in 0...stream.count {
            var decoder = FrameDecoder()
            decoder.append(stream[..<cut])
            var frames = try drain(&decoder)
            decoder.append(stream[cut...])
            frames += try drain(&decoder)
            #expect(frames == Self.frames)
            #expect(!decoder.isMidFrame)
        }
    }

    @Test func `what is sent arrives byte by byte`() throws {
        var decoder = FrameDecoder()
        var frames: [WireFrame] = []
        for byte in Self.stream {
            decoder.append(CollectionOfOne(byte))
            frames += try drain(&decoder)
        }
        #expect(frames == Self.frames)
    }

    @Test func `half a frame is waited for`() throws {
        var decoder = FrameDecoder()
        #expect(!decoder.isMidFrame)
        decoder.append(Self.frames[0].encoded().dropLast())
        #expect(try decoder.next() == nil)
        #expect(decoder.isMidFrame)
    }

    @Test func `an endless frame is noticed at its head`() throws {
        let length = UInt32(WireFrame.maximumLength) + 1
        for value in [length, .max] {
            var decoder = FrameDecoder()
            decoder.append((0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) })
            #expect(throws: FrameDecoder.Violation.frameTooLong(value)) { try decoder.next() }
        }
    }

    @Test func `the longest frame that is allowed arrives`() throws {
        let frame = WireFrame(
            kind: .request,
            exchange: 1,
            name: "x",
            payload: [UInt8](repeating: 7, count: WireFrame.maximumLength - 7)
        )
        var decoder = FrameDecoder()
        let bytes = frame.encoded()
        for start in stride(from: 0, to: bytes.count, by: 65_536) {
            decoder.append(bytes[start..<min(start + 65_536, bytes.count)])
        }
        #expect(try decoder.next() == frame)
    }

    private static let malformed: [[UInt8]] = [
        [0, 0, 0, 0], [0, 0, 0, 5, 1, 0, 0, 0, 0], [0, 0, 0, 6, 0, 0, 0, 0, 0, 0], [0, 0, 0, 6, 5, 0, 0, 0, 0, 0],
        [0, 0, 0, 6, 1, 0, 0, 0, 0, 1], [0, 0, 0, 7, 1, 0, 0, 0, 0, 1, 0xFF], [0, 0, 0, 7, 1, 0, 0, 0, 0, 2, 65],
    ]

    @Test(arguments: malformed) func `a frame that contradicts itself is refused`(bytes: [UInt8]) {
        var decoder = FrameDecoder()
        decoder.append(bytes)
        #expect(throws: FrameDecoder.Violation.malformed) { try decoder.next() }
    }

    @Test(arguments: 1...200) func `garbage ends the stream or is waited for, and never harms`(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        var decoder = FrameDecoder()
        for _ in 0..<50 {
            var bytes = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            // Half of the time it looks like a frame at first.
            if Bool.random(using: &generator) {
                bytes = [0, 0, 0, UInt8.random(in: 0...40, using: &generator)] + bytes
            }
            decoder.append(bytes)
            do throws(FrameDecoder.Violation) {
                while try decoder.next() != nil {}
            } catch {
                return
            }
        }
    }

    @Test(arguments: 1...50) func `a frame with one byte changed is never taken for a longer one`(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        var bytes = Self.stream
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        var decoder = FrameDecoder()
        decoder.append(bytes)
        var length = 0
        while let frame = try? decoder.next() { length += frame.encoded().count }
        #expect(length <= bytes.count)
    }

    @Test func `a long conversation does not keep what has been read`() throws {
        var decoder = FrameDecoder()
        let frame = WireFrame(
            kind: .event,
            exchange: 0,
            name: "transfer",
            payload: [UInt8](repeating: 1, count: 100_000)
        )
        let bytes = frame.encoded()
        // Always half a frame ahead, so that the buffer is never empty.
        decoder.append(bytes[..<50_000])
        for _ in 0..<100 {
            decoder.append(bytes[50_000...])
            decoder.append(bytes[..<50_000])
            #expect(try decoder.next() == frame)
            #expect(try decoder.next() == nil)
        }
    }

    @Test func `it is known without taking it whether a frame is there, and what a long one took is given back`() throws
    {
        let bytes = WireFrame(kind: .request, exchange: 1, name: "a", payload: [UInt8](repeating: 1, count: 1 << 20))
            .encoded()
        var decoder = FrameDecoder()
        decoder.append(bytes.dropLast())
        #expect(!decoder.hasNext)
        decoder.append(bytes.suffix(1) + [0, 0])
        #expect(decoder.hasNext)
        _ = try decoder.next()
        #expect(!decoder.hasNext)
        #expect(decoder.isMidFrame)
        var other = FrameDecoder()
        other.append(bytes)
        _ = try other.next()
        #expect(other.heldBytes == 0)
        other.append([0xFF, 0xFF, 0xFF, 0xFF])
        // Invalid bytes must be reported as well.
        #expect(other.hasNext)
    }

    @Test func `a name that is too long for its field is cut`() throws {
        var decoder = FrameDecoder()
        decoder.append(
            WireFrame(kind: .event, exchange: 0, name: String(repeating: "n", count: 300), payload: [1]).encoded()
        )
        let frame = try decoder.next()
        #expect(frame?.name.utf8.count == 255)
        #expect(frame?.payload == [1])
    }
}

/// The same numbers for the same seed (splitmix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
