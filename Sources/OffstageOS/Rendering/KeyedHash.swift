// SPDX-License-Identifier: Apache-2.0

/// SipHash-2-4: a hash that cannot be computed, or checked against candidate values, without its key.
package struct KeyedHash: Sendable {
    private let first: UInt64
    private let second: UInt64

    package init(key first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// The hash of this process. Its key is random, generated on first access, and stored nowhere else.
    package static let ofThisProcess: KeyedHash = {
        var source = SystemRandomNumberGenerator()
        return KeyedHash(key: source.next(), source.next())
    }()

    /// The hash of a string, as sixteen hexadecimal digits.
    package func hexadecimal(of text: String) -> String {
        let digits = String(value(of: Array(text.utf8)), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    package func value(of bytes: [UInt8]) -> UInt64 {
        var state = State(first, second)
        var word: UInt64 = 0
        var count: UInt64 = 0
        for byte in bytes {
            word |= UInt64(byte) << (8 * (count & 7))
            count &+= 1
            if count & 7 == 0 {
                state.combine(word)
                word = 0
            }
        }
        state.combine(word | count << 56)
        return state.end()
    }

    private struct State {
        var a, b, c, d: UInt64

        init(_ first: UInt64, _ second: UInt64) {
            a = first ^ 0x736f_6d65_7073_6575
            b = second ^ 0x646f_7261_6e64_6f6d
            c = first ^ 0x6c79_6765_6e65_7261
            d = second ^ 0x7465_6462_7974_6573
        }

        mutating func combine(_ word: UInt64) {
            d ^= word
            round()
            round()
            a ^= word
        }

        mutating func end() -> UInt64 {
            c ^= 0xff
            for _ in 0..<4 { round() }
            return a ^ b ^ c ^ d
        }

        private mutating func round() {
            a &+= b
            b = Self.turned(b, 13) ^ a
            a = Self.turned(a, 32)
            c &+= d
            d = Self.turned(d, 16) ^ c
            a &+= d
            d = Self.turned(d, 21) ^ a
            c &+= b
            b = Self.turned(b, 17) ^ c
            c = Self.turned(c, 32)
        }

        private static func turned(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
    }
}
