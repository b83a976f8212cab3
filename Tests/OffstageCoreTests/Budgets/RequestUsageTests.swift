// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct `Requests are begun within budgets` {
    @Test func `a connection, a process and all together have so many`() {
        var ledger = RequestUsage()
        #expect(ledger.hold(1, of: 1, 10) == nil)
        for _ in 0..<64 { ledger.begin(1, of: 1, 10) }
        #expect(ledger.hold(1, of: 1, 10) == .connection)
        #expect(ledger.hold(1, of: 2, 10) == nil)
        for _ in 0..<64 { ledger.begin(1, of: 2, 10) }
        #expect(ledger.hold(1, of: 3, 10) == .process)
        #expect(ledger.hold(1, of: 3, 11) == nil)
        ledger.end(1, of: 1, 10)
        #expect(ledger.hold(1, of: 1, 10) == nil)
    }

    @Test func `a process with none under way may begin a light one, whatever others do`() {
        var ledger = RequestUsage()
        for process: Int32 in 0..<4 { ledger.begin(128, of: UInt64(process), process) }
        #expect(ledger.total == 512)
        #expect(ledger.hold(1, of: 99, 99) == nil)
        #expect(ledger.hold(8, of: 99, 99) == nil)
        #expect(ledger.hold(257, of: 99, 99) == .all)
        ledger.begin(1, of: 99, 99)
        #expect(ledger.hold(1, of: 99, 99) == .all)
        for process: Int32 in 0..<4 { ledger.end(128, of: UInt64(process), process) }
        #expect(ledger.hold(257, of: 98, 98) == nil)
    }

    @Test func `one that is heavier than any budget is begun alone`() {
        var ledger = RequestUsage()
        #expect(ledger.hold(10_000, of: 1, 1) == nil)
        ledger.begin(10_000, of: 1, 1)
        #expect(ledger.hold(1, of: 1, 1) == .connection)
        ledger.end(10_000, of: 1, 1)
        #expect(ledger.total == 0)
        #expect(!ledger.isBusy(1))
    }

    @Test func `what weighs more are long payloads and answers of many rows`() {
        #expect(RequestWeight.of("status", payload: 10) == 1)
        #expect(RequestWeight.of("list", payload: 10) == 8)
        #expect(RequestWeight.of("submit", payload: 4 << 20) == 257)
    }

    @Test func `processes take turns, and so do the connections of each`() {
        var line = TurnLine()
        for connection: UInt64 in 1...3 { line.add(connection, of: 1) }
        line.add(9, of: 2)
        var order: [UInt64] = []
        while let next = line.next() { order.append(next.connection) }
        #expect(order == [1, 9, 2, 3])
        #expect(line.isEmpty)
    }

    @Test func `a process that is held is passed over until one of its requests ends`() {
        var line = TurnLine()
        line.add(1, of: 1)
        line.add(2, of: 1)
        line.add(9, of: 2)
        #expect(line.next()?.connection == 1)
        line.hold(1, of: 1, forAll: false)
        line.add(3, of: 1)
        #expect(line.next()?.connection == 9)
        #expect(line.next() == nil)
        line.release(2)
        #expect(line.isEmpty)
        line.release(1)
        #expect(line.next()?.connection == 1)
        #expect(line.next()?.connection == 2)
        #expect(line.next()?.connection == 3)
        #expect(line.isEmpty)
    }

    @Test func `one that is held for the room of all goes on with anybody's end`() {
        var line = TurnLine()
        line.add(1, of: 1)
        _ = line.next()
        line.hold(1, of: 1, forAll: true)
        line.release(2)
        #expect(line.next()?.connection == 1)
    }

    @Test func `a connection that goes leaves nothing in the line`() {
        var line = TurnLine()
        line.add(1, of: 1)
        line.remove(1, of: 1)
        #expect(line.isEmpty)
        line.add(2, of: 1)
        _ = line.next()
        line.hold(2, of: 1, forAll: true)
        line.remove(2, of: 1)
        line.add(3, of: 1)
        #expect(line.next()?.connection == 3)
    }

    @Test func `of many inside, the owner with the fewest is next`() {
        var gate = FairGate<String>(total: 3, perOwner: 2, waitingPerOwner: 2)
        #expect(gate.enter(1, of: "a") == .begins)
        #expect(gate.enter(2, of: "a") == .begins)
        #expect(gate.enter(3, of: "a") == .waits)
        #expect(gate.enter(4, of: "a") == .waits)
        #expect(gate.enter(5, of: "a") == .refused)
        #expect(gate.enter(6, of: "b") == .begins)
        #expect(gate.enter(7, of: "c") == .waits)
        #expect(gate.leave("b") == 7)
        #expect(gate.leave("a") == 3)
        #expect(gate.leave("c") == nil)
        #expect(gate.leave("a") == 4)
        // Two of three places are taken.
        #expect(gate.enter(8, of: "b") == .begins)
        #expect(gate.enter(9, of: "c") == .waits)
    }
}
