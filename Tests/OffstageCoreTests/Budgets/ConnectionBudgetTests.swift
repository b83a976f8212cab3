// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct `Connections are kept within budgets` {
    @Test func `who holds most of the process that holds most makes room`() {
        var ledger = ByteUsage(limit: 100)
        ledger.set(40, for: 1, of: 1)
        ledger.set(50, for: 2, of: 2)
        #expect(ledger.victim == nil)
        ledger.set(30, for: 3, of: 1)
        #expect(ledger.total == 120)
        #expect(ledger.victim == 1)
        ledger.remove(1)
        #expect(ledger.victim == nil)
        ledger.set(0, for: 2, of: 2)
        #expect(ledger.total == 30)
    }

    private func entry(_ id: UInt64, _ process: Int32, hello: Bool = true, busy: Bool = false, served: UInt64 = 0)
        -> ConnectionRoll.Entry
    {
        .init(id: id, process: process, hasSaidHello: hello, isBusy: busy, lastServed: served)
    }

    @Test func `whoever never said hello makes room first`() {
        let entries = [entry(1, 1), entry(2, 2, hello: false), entry(3, 2, hello: false)]
        #expect(ConnectionRoll.victim(among: entries, for: 1) == 2)
    }

    @Test func `then the process that has most, and of it the one that was silent longest`() {
        let entries = [
            entry(1, 1, served: 1), entry(2, 2, busy: true, served: 2), entry(3, 2, served: 9), entry(4, 2, served: 5),
        ]
        #expect(ConnectionRoll.victim(among: entries, for: 7) == 4)
        #expect(ConnectionRoll.victim(among: entries, for: 2) == nil)
    }

    @Test func `a newcomer is let in although every process has one connection alone`() {
        let entries = (1...512).map { entry(UInt64($0), Int32($0), served: UInt64($0 + 10)) }
        #expect(ConnectionRoll.victim(among: entries, for: 9999) == 1)
    }

    @Test func `a text's brackets and values are counted without a recursion`() throws {
        let shape = JSONShape(of: Array(#"{"a[{,": [1, 2, {"b\"]": "\\"}]}"#.utf8))
        #expect(shape.depth == 3)
        #expect((4...10).contains(shape.values))
        let deep = Array(String(repeating: "[", count: 100_000).utf8)
        #expect(throws: JSONShape.Problem.tooDeep) { try JSONShape.check(deep) }
        let many = Array(("[" + String(repeating: "1,", count: 5000) + "1]").utf8)
        #expect(throws: JSONShape.Problem.tooMany(5000)) { try JSONShape.check(many, values: 5000) }
        try JSONShape.check(many, values: 5002)
        // An unterminated string.
        #expect(JSONShape(of: Array(#"["abc\"#.utf8)).depth == 1)
    }
}
