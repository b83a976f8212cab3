// SPDX-License-Identifier: Apache-2.0

/// The requests that are worked on, by their weights: of each connection, of each process, and in all.
package struct RequestLedger: Sendable {
    /// Why one more is not begun now.
    package enum Hold: Sendable, Hashable {
        /// Until one of the connection is answered.
        case connection
        /// Until one of the process is answered.
        case process
        /// Until any is answered.
        case all
    }

    private let connection: ConnectionBudget
    private let process: ProcessBudget
    private let socket: SocketBudget
    private var ofConnection: [UInt64: Int] = [:]
    private var ofProcess: [Int32: Int] = [:]
    /// The weight of all.
    package private(set) var total = 0

    package init(
        connection: ConnectionBudget = .init(),
        process: ProcessBudget = .init(),
        socket: SocketBudget = .init()
    ) {
        self.connection = connection
        self.process = process
        self.socket = socket
    }

    /// What keeps a request from being begun; nil when nothing does. Whoever has none under way may begin one that is
    /// too heavy for a budget of its own, so that nothing waits for ever.
    package func hold(_ weight: Int, of id: UInt64, _ number: Int32) -> Hold? {
        let mine = ofConnection[id] ?? 0
        if mine > 0, mine + weight > connection.requests { return .connection }
        let ours = ofProcess[number] ?? 0
        if ours > 0, ours + weight > process.requests { return .process }
        if total == 0 || total + weight <= socket.requests { return nil }
        return ours == 0 && weight <= socket.lightRequest ? nil : .all
    }

    package mutating func begin(_ weight: Int, of id: UInt64, _ number: Int32) {
        ofConnection[id, default: 0] += weight
        ofProcess[number, default: 0] += weight
        total += weight
    }

    /// One is answered, whether its connection is still there or not.
    package mutating func end(_ weight: Int, of id: UInt64, _ number: Int32) {
        Self.take(weight, from: &ofConnection, id)
        Self.take(weight, from: &ofProcess, number)
        total -= weight
    }

    /// Whether a connection has any.
    package func isBusy(_ id: UInt64) -> Bool { ofConnection[id] != nil }

    private static func take<Key>(_ weight: Int, from weights: inout [Key: Int], _ key: Key) {
        let left = (weights[key] ?? 0) - weight
        weights[key] = left > 0 ? left : nil
    }
}
