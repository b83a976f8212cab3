// SPDX-License-Identifier: Apache-2.0

/// The checksum that Google Cloud Storage keeps with every object: CRC-32 with Castagnoli's polynomial (RFC 3720,
/// appendix B.4). The checksum of a file can be combined from its parts' checksums, without reading the parts again.
package struct CRC32C: Sendable, Hashable {
    package private(set) var value: UInt32

    /// The checksum of no bytes.
    package init() { value = 0 }

    package init(value: UInt32) { self.value = value }

    /// Reads the four bytes in the form of `bytes`; nil for any other number of bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 4 else { return nil }
        value = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The value, with its highest byte first.
    package var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) } }

    /// The polynomial with its bits reversed: the highest bit is that of x⁰.
    private static let polynomial: UInt32 = 0x82F6_3B78

    /// Eight tables: the contributions of a byte followed by 0 to 7 other bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 0 ? 0 : polynomial) }
            tables[byte] = value
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    /// Appends bytes.
    package mutating func update(_ buffer: UnsafeRawBufferPointer) {
        var state = ~value
        Self.tables.withUnsafeBufferPointer { tables in
            var rest = buffer[...]
            while rest.count >= 8 {
                let word = UInt64(littleEndian: UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: UInt64.self))
                rest = rest.dropFirst(8)
                let mixed = word ^ UInt64(state)
                state = 0
                for place in 0..<8 {
                    let byte = Int(truncatingIfNeeded: mixed >> (8 * UInt64(place)) & 0xFF)
                    // checked: one of eight tables, and one of its 256 values
                    state ^= tables[(7 - place) * 256 + byte]
                }
            }
            for byte in rest { state = state >> 8 ^ tables[Int((state ^ UInt32(byte)) & 0xFF)] }
        }
        value = ~state
    }

    /// Appends bytes of which only the checksum and the count are known.
    package mutating func append(_ next: CRC32C, count: Int64) {
        guard count > 0 else { return }
        // x to the power of the bits that follow, modulo the polynomial.
        var power: UInt32 = 1 << 31
        var factor: UInt32 = 1 << 23
        var rest = UInt64(count)
        while rest > 0 {
            if rest & 1 == 1 { power = Self.product(power, factor) }
            factor = Self.product(factor, factor)
            rest >>= 1
        }
        value = Self.product(value, power) ^ next.value
    }

    /// The product of two polynomials over GF(2), modulo `polynomial`.
    private static func product(_ first: UInt32, _ second: UInt32) -> UInt32 {
        var (result, shifted, bit) = (UInt32(0), second, UInt32(1) << 31)
        while bit != 0 {
            if first & bit != 0 { result ^= shifted }
            shifted = shifted >> 1 ^ (shifted & 1 == 0 ? 0 : polynomial)
            bit >>= 1
        }
        return result
    }
}
