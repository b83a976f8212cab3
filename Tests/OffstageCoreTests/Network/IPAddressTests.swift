// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct IPAddressTests {
    private static let ip4: [(String, UInt128)] = [
        ("127.0.0.1", 0x7F00_0001), ("127.1", 0x7F00_0001), ("2130706433", 0x7F00_0001),
        ("0x7f.0.0.1", 0x7F00_0001), ("0177.1", 0x7F00_0001), ("192.0.2.255", 0xC000_02FF), ("1.2.772", 0x0102_0304),
        ("0", 0), ("255.255.255.255", 0xFFFF_FFFF), ("::ffff:192.0.2.1", 0xC000_0201),
    ]

    @Test(arguments: ip4)
    func `a literal of IPv4 is read in every form that resolvers take`(text: String, bits: UInt128) {
        #expect(IPAddress(literal: text) == IPAddress(family: .ip4, bits: bits))
    }

    private static let ip6: [(String, UInt128)] = [
        ("::", 0), ("::1", 1), ("1::", 0x0001_0000_0000_0000_0000_0000_0000_0000),
        ("fe80::1%eth0", 0xFE80_0000_0000_0000_0000_0000_0000_0001),
        ("2001:db8:0:0:1:0:0:1", 0x2001_0DB8_0000_0000_0001_0000_0000_0001),
        ("2001:DB8::1:0:0:1", 0x2001_0DB8_0000_0000_0001_0000_0000_0001),
        ("64:ff9b::192.0.2.1", 0x0064_FF9B_0000_0000_0000_0000_C000_0201),
    ]

    @Test(arguments: ip6)
    func `a literal of IPv6 is read`(text: String, bits: UInt128) {
        #expect(IPAddress(literal: text) == IPAddress(family: .ip6, bits: bits))
    }

    @Test(arguments: [
        "", "example.org", "localhost", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "4294967296", "1..2", ".1", "1.", "0x",
        "08",
        "-1", "+1", "1.2.3.+4", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "::12345", "::g",
        "::1.2.3",
        "1:2:3:4:5:6:7::8", "99999999999999999999", "::-1", "de.be.ef.ca", "fe80::1.2.3.4.5",
    ])
    func `what is no address is taken for a name`(text: String) {
        #expect(IPAddress(literal: text) == nil)
    }

    @Test func `prefixes match on their bits alone`() throws {
        func ip(_ text: String) throws -> IPAddress { try #require(IPAddress(literal: text)) }
        #expect(try ip("10.1.2.3").matches(ip("10.1.0.0"), length: 16))
        #expect(try !ip("10.2.2.3").matches(ip("10.1.0.0"), length: 16))
        #expect(try ip("10.2.2.3").matches(ip("0.0.0.0"), length: 0))
        #expect(try ip("10.2.2.3").matches(ip("10.2.2.3"), length: 32))
        #expect(try !ip("10.2.2.2").matches(ip("10.2.2.3"), length: 32))
        #expect(try ip("10.2.2.2").matches(ip("10.2.2.3"), length: 31))
        #expect(try !ip("::1").matches(ip("0.0.0.0"), length: 0))
        #expect(try ip("2001:db8::1").matches(ip("2001:db8::"), length: 64))
        #expect(try !ip("2001:db8:0:1::1").matches(ip("2001:db8::"), length: 64))
        #expect(try ip("2001:db8::1").matches(ip("::"), length: -5))
        #expect(try !ip("2001:db8::1").matches(ip("::"), length: 500))
    }

    @Test func `bytes in network order make an address`() {
        let bytes = [UInt8](repeating: 0, count: 15) + [7]
        #expect(IPAddress(family: .ip6, bytes: bytes) == IPAddress(literal: "::7"))
        #expect(IPAddress(family: .ip4, bytes: [192, 0, 2, 1] + bytes) == IPAddress(literal: "192.0.2.1"))
    }
}
