// SPDX-License-Identifier: Apache-2.0

/// An address of this machine's loopback network, 127.0.0.0/8: Linux answers on all of it.
///
/// Each page is served at its own address. A program that listened at an address earlier can leave something in the
/// browser that affects everything served there later, such as a service worker.
package struct PageAddress: Sendable, Equatable, CustomStringConvertible {
    /// The address in host byte order.
    package let value: UInt32

    private init(value: UInt32) { self.value = value }

    /// 127.0.0.1, for programs that support only a fixed address. No page is served there.
    package static let fixed = PageAddress(value: 0x7F00_0001)

    /// Returns one of 16 million addresses, which cannot be predicted.
    ///
    /// - Parameter generator: the source of randomness.
    /// - Returns: the address. It is never one that systems use otherwise, nor a network or broadcast address.
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
