// SPDX-License-Identifier: Apache-2.0

/// An IPv4 or IPv6 address as a number: enough to find the route that covers it.
package struct IPAddress: Sendable, Hashable {
    package enum Family: Sendable, Hashable {
        case ip4, ip6

        /// Bits of an address.
        var width: Int { self == .ip4 ? 32 : 128 }
    }

    package let family: Family
    /// The address's bits, the last one lowest; an IPv4 address has 32.
    package let bits: UInt128

    package init(family: Family, bits: UInt128) {
        self.family = family
        self.bits = bits
    }

    /// An address from its bytes in network order; only the first four count for IPv4.
    package init(family: Family, bytes: some Sequence<UInt8>) {
        self.family = family
        bits = bytes.prefix(family.width / 8).reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// Reads a literal host of a URL, without brackets; nil for a name.
    ///
    /// The short and hexadecimal forms of IPv4 that resolvers take (`127.1`) are addresses too. A zone after `%` is
    /// left out. An IPv4 address inside IPv6 (`::ffff:192.0.2.1`) is that IPv4 address.
    package init?(literal: String) {
        let text = literal.prefix { $0 != "%" }
        if text.contains(":") {
            guard let bits = Self.parseIP6(text) else { return nil }
            if bits >> 32 == 0xFFFF {
                self.init(family: .ip4, bits: bits & 0xFFFF_FFFF)
            } else {
                self.init(family: .ip6, bits: bits)
            }
        } else {
            guard let bits = Self.parseIP4(text) else { return nil }
            self.init(family: .ip4, bits: bits)
        }
    }

    /// This machine itself, whatever its network: 127/8 and ::1, and the unspecified address, which has that meaning on
    /// Linux.
    package var isLoopback: Bool {
        switch family {
        case .ip4: bits >> 24 == 127 || bits == 0
        case .ip6: bits <= 1
        }
    }

    /// Only valid on its own link: 169.254/16 and fe80::/10.
    package var isLinkLocal: Bool {
        switch family {
        case .ip4: bits >> 16 == 0xA9FE
        case .ip6: bits >> 118 == 0x3FA
        }
    }

    /// Whether the first `length` bits are those of `prefix`.
    package func matches(_ prefix: IPAddress, length: Int) -> Bool {
        guard family == prefix.family else { return false }
        let rest = family.width - min(max(0, length), family.width)
        return rest >= family.width || bits >> UInt128(rest) == prefix.bits >> UInt128(rest)
    }

    private static func parseIP4(_ text: Substring) -> UInt128? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...4).contains(parts.count) else { return nil }
        var numbers: [UInt128] = []
        for part in parts {
            let lower = part.lowercased()
            let number =
                if lower.hasPrefix("0x") {
                    UInt128(digits: lower.dropFirst(2), radix: 16)
                } else if lower.hasPrefix("0"), lower.count > 1 {
                    UInt128(digits: lower.dropFirst(1), radix: 8)
                } else {
                    UInt128(digits: lower[...], radix: 10)
                }
            guard let number else { return nil }
            numbers.append(number)
        }
        // The last number fills all bytes that are left: 127.1 is 127.0.0.1.
        guard let last = numbers.popLast(), numbers.allSatisfy({ $0 < 256 }) else { return nil }
        let room = UInt128(8 * (4 - numbers.count))
        guard last < UInt128(1) << room else { return nil }
        return numbers.reduce(0) { $0 << 8 | $1 } << room | last
    }

    private static func parseIP6(_ text: Substring) -> UInt128? {
        guard let gap = text.firstRange(of: "::") else {
            return groups(text).flatMap { $0.count == 8 ? join($0) : nil }
        }
        guard let head = groups(text[..<gap.lowerBound]), let tail = groups(text[gap.upperBound...]),
            head.count + tail.count < 8
        else { return nil }
        return join(head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail)
    }

    /// The 16-bit groups of a part without `::`; an IPv4 address at its end is two.
    private static func groups(_ text: Substring) -> [UInt128]? {
        if text.isEmpty { return [] }
        var groups: [UInt128] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(".") {
                guard part.split(separator: ".").count == 4, let bits = parseIP4(part) else { return nil }
                groups += [bits >> 16, bits & 0xFFFF]
            } else {
                guard part.utf8.count <= 4, let group = UInt128(digits: part, radix: 16) else { return nil }
                groups.append(group)
            }
        }
        return groups
    }

    private static func join(_ groups: [UInt128]) -> UInt128 {
        groups.reduce(0) { $0 << 16 | $1 }
    }
}

extension UInt128 {
    /// A number of plain digits: no sign, at least one and at most twelve.
    fileprivate init?(digits: Substring, radix: Int) {
        guard digits.utf8.count <= 12, digits.first != "+", digits.first != "-" else { return nil }
        self.init(digits, radix: radix)
    }
}
