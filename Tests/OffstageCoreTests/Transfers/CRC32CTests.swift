// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct CRC32CTests {
    private func checksum(_ bytes: some Collection<UInt8>) -> CRC32C {
        var checksum = CRC32C()
        Array(bytes).withUnsafeBytes { checksum.update($0) }
        return checksum
    }

    /// The test values of RFC 3720, appendix B.4.
    @Test func `the values of the standard come out`() {
        #expect(checksum([]).value == 0)
        #expect(checksum("123456789".utf8).value == 0xE306_9283)
        #expect(checksum([UInt8](repeating: 0, count: 32)).value == 0x8A91_36AA)
        #expect(checksum([UInt8](repeating: 0xFF, count: 32)).value == 0x62A8_AB43)
        #expect(checksum(0..<32).value == 0x46DD_794E)
        #expect(checksum((0..<32).reversed()).value == 0x113F_DB5C)
    }

    @Test func `the checksum of a whole follows from those of its parts`() {
        var random = SeededGenerator(seed: 3)
        let bytes = random.bytes(5000)
        let whole = checksum(bytes)
        for cut in [0, 1, 7, 8, 9, 255, 256, 2500, 4999, 5000] {
            var parts = checksum(bytes[..<cut])
            parts.append(checksum(bytes[cut...]), count: Int64(5000 - cut))
            #expect(parts == whole, "cut at \(cut)")
            var updated = checksum(bytes[..<cut])
            Array(bytes[cut...]).withUnsafeBytes { updated.update($0) }
            #expect(updated == whole, "cut at \(cut)")
        }
        var kept = whole
        kept.append(checksum([]), count: 0)
        kept.append(CRC32C(value: 7), count: -1)
        #expect(kept == whole)
    }

    @Test func `it is written with the highest byte first`() throws {
        #expect(CRC32C(value: 0x0102_03FF).bytes == [1, 2, 3, 255])
        #expect(try #require(CRC32C([1, 2, 3, 255])).value == 0x0102_03FF)
        #expect(CRC32C([1, 2, 3]) == nil && CRC32C([UInt8](repeating: 0, count: 5)) == nil)
    }
}
