// SPDX-License-Identifier: Apache-2.0

/// A set of windows of up to eight bytes, queried for every byte of a text. Nearly all queries miss, which one bit
/// reveals.
struct WindowSet: Sendable {
    private var windows: Set<UInt64> = []
    /// A bit for each of 65,536 hashes; empty if the set is.
    private var bits: [UInt64] = []

    var isEmpty: Bool { windows.isEmpty }

    mutating func insert(_ window: UInt64) {
        if bits.isEmpty { bits = Array(repeating: 0, count: 1024) }
        let hash = Self.hash(window)
        bits[hash >> 6] |= 1 << UInt64(hash & 63)
        windows.insert(window)
    }

    func contains(_ window: UInt64) -> Bool {
        if bits.isEmpty { return false }
        let hash = Self.hash(window)
        return bits[hash >> 6] & 1 << UInt64(hash & 63) != 0 && windows.contains(window)
    }

    private static func hash(_ window: UInt64) -> Int { Int((window &* 0x9E37_79B9_7F4A_7C15) >> 48) }
}
