// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct `What peers sent before they hung up is handled in turns` {
    @Test func `processes take turns, and none has more than its budget`() {
        var budget = ConnectionBudget()
        budget.framesOfTheDead = 2
        var peers = DepartedPeers(budget: budget)
        peers.add(1, of: 10)
        peers.add(2, of: 10)
        peers.add(3, of: 20)
        peers.add(3, of: 20)
        #expect(peers.contains(3))
        var turns: [UInt64] = []
        var over: [UInt64] = []
        while let (connection, isOver) = peers.next() {
            if isOver { over.append(connection) } else { turns.append(connection) }
        }
        #expect(turns == [1, 3, 2, 3, 1, 2])
        #expect(Set(over) == [1, 2, 3])
        #expect(peers.isEmpty && !peers.contains(3))
    }

    @Test func `a socket is read so often, and no more`() {
        var budget = ConnectionBudget()
        budget.readsOfTheDead = 1
        var peers = DepartedPeers(budget: budget)
        peers.add(1, of: 10)
        let mayRead = peers.mayRead(1)
        #expect(mayRead)
        let mayReadAgain = peers.mayRead(1)
        #expect(!mayReadAgain)
        let mayReadOther = peers.mayRead(2)
        #expect(!mayReadOther)
    }

    @Test func `one that is dropped has no more turns`() {
        var peers = DepartedPeers()
        peers.add(1, of: 10)
        peers.remove(1, of: 10)
        peers.remove(2, of: 10)
        let next = peers.next()
        #expect(next?.connection == nil)
        #expect(peers.isEmpty)
    }
}
