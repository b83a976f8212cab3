// SPDX-License-Identifier: Apache-2.0

/// The objects of a property list in Apple's binary form: a table of offsets, and objects that refer to each other by
/// their indexes in the table.
struct BinaryPropertyList {
    private let bytes: [UInt8]
    private let referenceSize: Int
    private let offsets: [Int]
    private let top: Int
    /// The beginning of the table, and end of the objects.
    private let end: Int

    private enum Object {
        case leaf
        /// References to objects, by their place in the file.
        case container(first: Int, count: Int)
    }

    /// Reads the table; nil if it is incomplete or points outside the file.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8 + 32 else { return nil }
        self.bytes = bytes
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes, at: trailer + 8, size: 8, below: bytes.count),
            let top = Self.number(bytes, at: trailer + 16, size: 8, below: count),
            let table = Self.number(bytes, at: trailer + 24, size: 8, below: trailer), table >= 8,
            count <= (trailer - table) / offsetSize
        else { return nil }
        self.top = top
        end = table
        var offsets: [Int] = []
        for index in 0..<count {
            guard let offset = Self.number(bytes, at: table + index * offsetSize, size: offsetSize, below: table),
                offset >= 8
            else { return nil }
            offsets.append(offset)
        }
        self.offsets = offsets
    }

    mutating func isHarmless() -> Bool {
        var waiting = [(object: top, depth: 1)]
        var values = 0
        while let (object, depth) = waiting.popLast() {
            values += 1
            guard values <= PropertyListShape.mostValues, let found = self.object(at: offsets[object]) else {
                return false
            }
            guard case .container(let first, let count) = found else { continue }
            // A cycle has unlimited depth.
            guard depth <= PropertyListShape.deepest, waiting.count + count <= PropertyListShape.mostValues else {
                return false
            }
            for index in 0..<count {
                let place = first + index * referenceSize
                guard let next = Self.number(bytes, at: place, size: referenceSize, below: offsets.count) else {
                    return false
                }
                waiting.append((next, depth + 1))
            }
        }
        return true
    }

    /// The object at a place; nil if it is unknown or exceeds the end.
    private func object(at place: Int) -> Object? {
        let (kind, low) = (bytes[place] >> 4, Int(bytes[place] & 15))
        switch kind {
        case 0x0: return [0, 8, 9, 15].contains(low) ? .leaf : nil
        case 0x1: return low <= 4 ? leaf(at: place + 1, length: 1 << low) : nil
        case 0x2: return low == 2 || low == 3 ? leaf(at: place + 1, length: 1 << low) : nil
        case 0x3: return low == 3 ? leaf(at: place + 1, length: 8) : nil
        case 0x8: return leaf(at: place + 1, length: low + 1)
        case 0x4, 0x5, 0x6, 0xA, 0xD: break
        default: return nil
        }
        guard let (count, first) = count(low, after: place + 1) else { return nil }
        switch kind {
        case 0x4, 0x5: return leaf(at: first, length: count)
        case 0x6: return leaf(at: first, length: 2 * count)
        default:
            let references = kind == 0xD ? 2 * count : count
            guard references * referenceSize <= end - first else { return nil }
            return .container(first: first, count: references)
        }
    }

    private func leaf(at first: Int, length: Int) -> Object? { length <= end - first ? .leaf : nil }

    /// The number of bytes, letters or entries, at most the number of bytes in the file, and their beginning.
    private func count(_ low: Int, after place: Int) -> (count: Int, first: Int)? {
        guard low == 15 else { return (low, place) }
        guard place < end, bytes[place] >> 4 == 1, bytes[place] & 15 <= 3 else { return nil }
        let size = 1 << Int(bytes[place] & 15)
        guard size <= end - place - 1, let count = Self.number(bytes, at: place + 1, size: size, below: bytes.count)
        else { return nil }
        return (count, place + 1 + size)
    }

    /// A big-endian number; nil if it is not below `limit`.
    private static func number(_ bytes: [UInt8], at place: Int, size: Int, below limit: Int) -> Int? {
        var value: UInt64 = 0
        for byte in bytes[place..<(place + size)] { value = value << 8 | UInt64(byte) }
        return value < UInt64(limit) ? Int(value) : nil
    }
}
