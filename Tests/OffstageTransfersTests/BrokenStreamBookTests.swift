// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

struct BrokenStreamBookTests {
    private static func key(_ id: Int64, _ attempt: Int, lane: Int = 0) -> RequestKey {
        RequestKey(TransferID(rawValue: id), attempt: attempt, lane: lane)
    }

    @Test func `a broken stream concerns the next attempt alone, with all its requests`() {
        var book = BrokenStreamBook()
        #expect(!book.concerns(Self.key(1, 2)))
        book.record(Self.key(1, 1))
        for lane in 0...1 { #expect(book.concerns(Self.key(1, 2, lane: lane))) }
        for other in [Self.key(1, 1), Self.key(1, 3), Self.key(2, 2), Self.key(1, .min)] {
            #expect(!book.concerns(other))
        }
        book.record(Self.key(1, 3))
        #expect(book.concerns(Self.key(1, 4)) && !book.concerns(Self.key(1, 2)))
    }

    @Test func `the oldest of too many is forgotten`() {
        var book = BrokenStreamBook()
        for id in 0...Int64(BrokenStreamBook.capacity) { book.record(Self.key(id, 1)) }
        #expect(!book.concerns(Self.key(0, 2)))
        #expect(book.concerns(Self.key(1, 2)) && book.concerns(Self.key(Int64(BrokenStreamBook.capacity), 2)))
    }
}
