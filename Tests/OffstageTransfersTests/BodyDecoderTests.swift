// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

/// The decoding of an encoded body, and whether the body is complete.
struct BodyDecoderTests {
    private static let text = Array("hello hello hello".utf8)
    /// `python3 -c 'import gzip; print(gzip.compress(b"hello hello hello", mtime=0).hex())'`; the other constants
    /// similarly.
    private static let gzip: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8,
        0x40, 0x90, 0x00, 0x80, 0x88, 0xf9, 0xe5, 0x11, 0x00, 0x00, 0x00,
    ]
    private static let emptyGzip: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00,
    ]
    private static let zlib: [UInt8] = [
        0x78, 0x9c, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x90, 0x00, 0x3a, 0x2e, 0x06, 0x7d,
    ]
    private static let raw: [UInt8] = [
        0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x90, 0x00,
    ]
    /// The text compressed with gzip twice.
    private static let twice: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x93, 0xef, 0xe6, 0x60, 0x00, 0x01, 0x26,
        0xe6, 0xd3, 0x1e, 0x67, 0x4f, 0x9e, 0x0c, 0x3f, 0xe1, 0x30, 0x81, 0xa1, 0xa1, 0xe3, 0xe7, 0x53, 0x41,
        0xa0, 0x18, 0x00, 0x7b, 0x39, 0x58, 0x11, 0x1c, 0x00, 0x00, 0x00,
    ]
    /// The text in gzip, then in zlib's format.
    private static let mixed: [UInt8] = [
        0x78, 0x9c, 0x93, 0xef, 0xe6, 0x60, 0x00, 0x01, 0x26, 0xe6, 0xd3, 0x1e, 0x67, 0x4f, 0x9e, 0x0c, 0x3f,
        0xe1, 0x30, 0x81, 0xa1, 0xa1, 0xe3, 0xe7, 0x53, 0x41, 0xa0, 0x18, 0x00, 0x72, 0x73, 0x09, 0x10,
    ]
    /// 16 MiB of zeros compressed with gzip twice.
    private static let bomb: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xed, 0xda, 0xad, 0x0d, 0xc2, 0x60, 0x14,
        0x86, 0xd1, 0xfe, 0x20, 0x1a, 0x04, 0xe0, 0x11, 0x74, 0x0c, 0x0c, 0x82, 0x90, 0x20, 0x50, 0x98, 0x6a,
        0xc2, 0x10, 0x38, 0x44, 0x13, 0x24, 0x86, 0x15, 0x48, 0xa8, 0x66, 0x05, 0x98, 0x82, 0xb0, 0x03, 0x41,
        0xa0, 0x09, 0xa5, 0x1f, 0x43, 0x20, 0x9a, 0x73, 0xd4, 0xab, 0xaf, 0x7c, 0x72, 0x47, 0xfb, 0x2c, 0x0a,
        0x92, 0xf4, 0x71, 0x8d, 0xe3, 0x66, 0x94, 0x87, 0xcf, 0xf9, 0x99, 0x75, 0x23, 0x00, 0x00, 0x00, 0xa0,
        0xe5, 0xca, 0xfb, 0x2e, 0x0d, 0x31, 0x20, 0xca, 0xeb, 0xdb, 0x7c, 0x59, 0x00, 0x00, 0x00, 0x00, 0x6d,
        0xb7, 0xee, 0xf7, 0x3a, 0xbf, 0x28, 0xf0, 0x5e, 0x0d, 0xa7, 0xce, 0x01, 0x00, 0x00, 0x00, 0xad, 0x57,
        0x4d, 0xc6, 0x79, 0x68, 0x01, 0x83, 0x57, 0xbd, 0x99, 0x25, 0x1e, 0x25, 0x00, 0x00, 0x00, 0xe0, 0x0f,
        0x2e, 0xc5, 0xe2, 0xb8, 0x3d, 0x35, 0x23, 0xfe, 0x02, 0x0e, 0x73, 0xc8, 0xb6, 0xc8, 0x3f, 0x00, 0x00,
    ]

    /// Decodes a body that arrives in pieces of a given length, with a pause before every so many pieces of the result.
    private static func decode(
        _ body: [UInt8],
        _ codings: [ContentCoding],
        piece: Int = 16_384,
        pausesEvery: Int? = nil
    ) throws -> (bytes: [UInt8], isWhole: Bool) {
        let decoder = try BodyDecoder(codings)
        var (bytes, calls, begin): ([UInt8], Int, Int) = ([], 0, 0)
        while begin < body.count {
            let part = Array(body[begin..<min(body.count, begin + piece)])
            let outcome = try part.withUnsafeBytes { part in
                try decoder.decode(part, limit: .max) { decoded in
                    calls += 1
                    if let pausesEvery, calls % pausesEvery == 0 { return .paused }
                    bytes += decoded
                    return .taken
                }
            }
            if case .taken = outcome { begin += part.count }
        }
        #expect(decoder.hasBegun == !body.isEmpty && decoder.received == Int64(body.count))
        return (bytes, decoder.isWhole)
    }

    private static let bodies: [([UInt8], [ContentCoding])] = [
        (gzip, [.gzip]), (zlib, [.deflate]), (raw, [.deflate]), (twice, [.gzip, .gzip]), (mixed, [.gzip, .deflate]),
    ]

    @Test(arguments: bodies)
    func `a body is decoded, whatever pieces it comes in`(body: [UInt8], codings: [ContentCoding]) throws {
        for piece in [1, 2, 7, body.count] {
            let decoded = try Self.decode(body, codings, piece: piece)
            #expect(decoded.bytes == Self.text && decoded.isWhole)
            let paused = try Self.decode(body, codings, piece: piece, pausesEvery: 2)
            #expect(paused.bytes == Self.text && paused.isWhole)
        }
    }

    @Test(arguments: bodies)
    func `a body that breaks off anywhere is not whole`(body: [UInt8], codings: [ContentCoding]) throws {
        for length in 1..<body.count {
            let decoded = try Self.decode(Array(body[..<length]), codings)
            #expect(!decoded.isWhole, "\(length) of \(body.count) bytes")
            #expect(decoded.bytes == Array(Self.text[..<decoded.bytes.count]))
        }
    }

    @Test func `an empty body has not begun, and is whole`() throws {
        for coding in [ContentCoding.gzip, .deflate] {
            let decoded = try Self.decode([], [coding])
            #expect(decoded.bytes.isEmpty && decoded.isWhole)
        }
        let decoded = try Self.decode(Self.emptyGzip, [.gzip])
        #expect(decoded.bytes.isEmpty && decoded.isWhole)
        let inner = try Self.decode(Self.emptyGzip, [.gzip, .gzip])
        #expect(inner.bytes.isEmpty && inner.isWhole)
    }

    @Test(arguments: [1, 28, 16_384]) func `several members of gzip are one body`(piece: Int) throws {
        let body = Self.gzip + Self.emptyGzip + Self.gzip
        let decoded = try Self.decode(body, [.gzip], piece: piece)
        #expect(decoded.bytes == Self.text + Self.text && decoded.isWhole)
        for cut in [1, 5, Self.gzip.count - 1] {
            let decoded = try Self.decode(Array(body.dropLast(cut)), [.gzip], piece: piece)
            #expect(!decoded.isWhole)
        }
    }

    @Test func `zeros behind the end are no part of the body, and anything else is damage`() throws {
        for (body, coding) in [(Self.gzip, ContentCoding.gzip), (Self.zlib, .deflate), (Self.raw, .deflate)] {
            for piece in [1, 16_384] {
                let padded = try Self.decode(body + [0, 0, 0], [coding], piece: piece)
                #expect(padded.bytes == Self.text && padded.isWhole)
                for rest in ["garbage", "\u{0}\u{0}x"] {
                    #expect(throws: BodyDecoder.Problem.damaged) {
                        try Self.decode(body + Array(rest.utf8), [coding], piece: piece)
                    }
                }
            }
        }
        #expect(throws: BodyDecoder.Problem.damaged) { try Self.decode(Self.gzip + [0] + Self.gzip, [.gzip]) }
        #expect(throws: BodyDecoder.Problem.damaged) { try Self.decode(Self.zlib + Self.zlib, [.deflate]) }
    }

    @Test func `what is not what its coding says is damaged`() throws {
        for (body, coding) in [
            (Self.text, ContentCoding.gzip), (Self.zlib, .gzip), (Self.gzip, .deflate), ([0xff, 0xff], .deflate),
            // A zlib header that requires a dictionary.
            ([0x78, 0xbb, 0, 0, 0, 1, 0], .deflate),
        ] {
            #expect(throws: BodyDecoder.Problem.damaged) { try Self.decode(body, [coding]) }
        }
        // The checksum, and the length.
        for index in [Self.gzip.count - 8, Self.gzip.count - 1] {
            var body = Self.gzip
            body[index] ^= 1
            #expect(throws: BodyDecoder.Problem.damaged) { try Self.decode(body, [.gzip]) }
        }
    }

    @Test func `a bomb goes off in small pieces, and no call does more than it may`() throws {
        let decoder = try BodyDecoder([.gzip, .gzip])
        var (count, longest, rounds, isTaken): (Int, Int, Int, Bool) = (0, 0, 0, false)
        while !isTaken {
            rounds += 1
            let before = count
            let outcome = try Self.bomb.withUnsafeBytes { body in
                try decoder.decode(body, limit: 1_000_000) { piece in
                    count += piece.count
                    longest = max(longest, piece.count)
                    return .taken
                }
            }
            #expect(count - before <= 1_100_000)
            if case .taken = outcome { isTaken = true }
            guard rounds < 1000 else { break }
        }
        #expect(count == 16 << 20 && longest <= 65_536)
        #expect(rounds > 10 && decoder.isWhole)
        #expect(decoder.received == Int64(Self.bomb.count))
    }

    @Test func `what follows a paused piece in the same call is not lost`() throws {
        let decoder = try BodyDecoder([.gzip])
        var bytes: [UInt8] = []
        let half = Array(Self.gzip[..<15])
        let first = try half.withUnsafeBytes { try decoder.decode($0, limit: .max) { _ in .paused } }
        guard case .paused = first else {
            Issue.record("it did not pause")
            return
        }
        // libcurl appends the data received in the meantime.
        let second = try Self.gzip.withUnsafeBytes {
            try decoder.decode($0, limit: .max) {
                bytes += $0
                return .taken
            }
        }
        guard case .taken = second else {
            Issue.record("it was not taken")
            return
        }
        #expect(bytes == Self.text && decoder.isWhole)
    }

    @Test func `the rest of an unwanted body is not decoded`() throws {
        let decoder = try BodyDecoder([.gzip])
        let outcome = try Self.gzip.withUnsafeBytes { try decoder.decode($0, limit: .max) { _ in .stopped } }
        guard case .stopped = outcome else {
            Issue.record("it was not stopped")
            return
        }
        #expect(!decoder.isWhole)
    }
}
