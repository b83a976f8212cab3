// SPDX-License-Identifier: Apache-2.0

/// Connections whose peers have hung up but whose frames are still being handled: one frame at a time, in turns as in
/// `TurnLine`. A process that ends with a hundred connections and a million frames delays another process by one frame.
package struct DepartedPeers: Sendable {
    private let budget: ConnectionBudget
    private var line = TurnLine()
    /// How many more frames of each connection may be handled, and how many more times its socket may be read.
    private var left: [UInt64: (turns: Int, reads: Int)] = [:]

    package init(budget: ConnectionBudget = .init()) { self.budget = budget }

    package var isEmpty: Bool { left.isEmpty }

    package func contains(_ connection: UInt64) -> Bool { left[connection] != nil }

    /// Adds a connection whose peer has hung up before everything from it was handled.
    package mutating func add(_ connection: UInt64, of process: Int32) {
        guard left[connection] == nil else { return }
        left[connection] = (budget.framesOfTheDead, budget.readsOfTheDead)
        line.add(connection, of: process)
    }

    /// The connection whose turn it is.
    ///
    /// - Returns: the connection, and whether it has had all its turns; nil if there is none.
    package mutating func next() -> (connection: UInt64, isOver: Bool)? {
        guard let (connection, process) = line.next() else { return nil }
        guard let turns = left[connection]?.turns, turns > 0 else {
            left[connection] = nil
            return (connection, true)
        }
        left[connection]?.turns = turns - 1
        line.add(connection, of: process)
        return (connection, false)
    }

    /// Counts a read of the connection's socket; false if it has been read often enough: it may belong to a peer that
    /// is still there.
    package mutating func mayRead(_ connection: UInt64) -> Bool {
        guard let reads = left[connection]?.reads, reads > 0 else { return false }
        left[connection]?.reads = reads - 1
        return true
    }

    /// Removes a dropped connection.
    package mutating func remove(_ connection: UInt64, of process: Int32) {
        guard left.removeValue(forKey: connection) != nil else { return }
        line.remove(connection, of: process)
    }
}
