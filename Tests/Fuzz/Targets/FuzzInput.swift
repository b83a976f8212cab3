// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Reads one input of the fuzzer as numbers, texts and times. After its end everything is 0 or empty.
struct FuzzInput {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func bool() -> Bool { byte() & 1 == 1 }

    /// One of `count` choices, from 0.
    mutating func choice(_ count: Int) -> Int { Int(byte()) % count }

    /// Mostly small; the extreme values have their own codes.
    mutating func integer() -> Int64 {
        let code = byte()
        switch code {
        case 0..<200: return Int64(code)
        case 200..<240:
            let edges: [Int64] = [
                .max, .max - 1, .min, .min + 1, -1, 1 << 62, 1 << 32, 1 << 31, -1 << 31, 4 << 20, 8 << 20, 65_536,
            ]
            return edges[Int(code - 200) % edges.count]
        default: return (0..<8).reduce(0) { value, _ in value << 8 | Int64(byte()) }
        }
    }

    /// A number of bytes or a position in a file: never negative.
    mutating func count() -> Int64 { max(0, integer()) }

    /// Any number except infinity and NaN, which JSON does not have.
    mutating func number() -> Double {
        let code = byte()
        switch code {
        case 0..<200: return Double(code) / 4
        case 200..<240:
            let edges = [0.0, -0.0, -1, 1e300, -1e300, 1e18, -1e18, 9.3e18, 1.8e19, 1e-300, 4_294_967_296, 86_400]
            return edges[Int(code - 200) % edges.count]
        default:
            let value = Double(bitPattern: UInt64(bitPattern: integer()))
            return value.isFinite ? value : 1e308
        }
    }

    /// A text of the length that its first byte specifies.
    mutating func text() -> String { String(decoding: slice(), as: UTF8.self) }

    mutating func slice() -> UnsafeRawBufferPointer {
        let length = min(Int(byte()), bytes.count - position)
        defer { position += length }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])
    }

    /// Everything up to the given byte, which is left out, or to the end.
    mutating func part(endingAt byte: UInt8) -> UnsafeRawBufferPointer {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[min(position, bytes.count)...])
        let length = rest.firstIndex(of: byte) ?? rest.count
        position = min(position, bytes.count) + length + 1
        return UnsafeRawBufferPointer(rebasing: rest[..<length])
    }

    /// The remaining bytes.
    mutating func rest() -> UnsafeRawBufferPointer {
        let start = min(position, bytes.count)
        position = bytes.count
        return UnsafeRawBufferPointer(rebasing: bytes[start...])
    }

    /// A later moment of the same boot, with a wall clock that jumps now and then; rarely one of the next boot.
    mutating func moment(after last: Moment) -> Moment {
        var next = last
        let code = byte()
        let seconds = Double(code & 63) * Double(code & 63)
        next.uptime += seconds
        next.wall = next.wall.addingTimeInterval(seconds)
        if code >= 240 { next.wall = last.wall.addingTimeInterval(min(1e10, max(-1e10, number()))) }
        return next
    }
}

/// The start of every target's clock.
let fuzzStart = Moment(wall: Date(timeIntervalSince1970: 1_800_000_000), bootID: "boot", uptime: 5000)

/// Ends the process if a rule that must always hold does not.
func promise(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { fatalError("broken promise: \(text())") }
}
