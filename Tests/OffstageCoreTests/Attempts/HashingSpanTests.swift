// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

struct HashingSpanTests {
    private static let block = HashingSpan.blockSize

    private static func digests(_ count: Int) -> [UInt8] {
        [UInt8](repeating: 7, count: count * HashingSpan.digestSize)
    }

    @Test func `it is done when the last digest has come, in whatever order`() {
        var span = HashingSpan(number: 1, range: 0..<3 * Self.block + 5, isAwaited: true)
        let isFirstLast = span.took(Self.digests(2))
        #expect(!isFirstLast, "the last piece, which is shorter than its blocks, came first")
        let isSecondLast = span.took(Self.digests(2))
        #expect(isSecondLast)
    }

    @Test func `it knows which blocks it covers`() {
        let span = HashingSpan(number: 1, range: Self.block..<3 * Self.block, isAwaited: false)
        #expect(span.covers(Self.block) && span.covers(2 * Self.block))
        #expect(!span.covers(0) && !span.covers(3 * Self.block))
        #expect(!span.covers(Self.block + 5), "a block that begins elsewhere is another one")
    }
}
