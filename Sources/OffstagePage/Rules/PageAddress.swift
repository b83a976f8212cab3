// SPDX-License-Identifier: Apache-2.0

/// An address of this machine's loopback network, 127.0.0.0/8: Linux answers on all of it.
///
/// Each page is served at one of its own. Whoever listens at a place before the page does can leave something in a browser
/// that meets whatever is served there later: a service worker, for one.
package struct PageAddress: Sendable, Equatable, CustomStringConvertible {
    /// In the byte order of this machine.
    package let value: UInt32

    private init(value: UInt32) { self.value = value }

    /// 127.0.0.1: where programs look that know one place alone. No page is served there.
    package static let fixed = PageAddress(value: 0x7F00_0001)

    /// One of 16 million, which nobody can know before.
    ///
    /// - Parameter generator: where chance comes from.
    /// - Returns: the address. It is none that systems use for something else, and no network's or broadcast's.
    package static func fresh(using generator: inout some RandomNumberGenerator) -> PageAddress {
        let ranges: [ClosedRange<UInt32>] = [1...254, 0...255, 1...254]
        var value: UInt32 = 127
        for range in ranges { value = value << 8 | UInt32.random(in: range, using: &generator) }
        return PageAddress(value: value)
    }

    package var description: String {
        [24, 16, 8, 0].map { shift in "\((value >> shift) & 0xFF)" }.joined(separator: ".")
    }
}
