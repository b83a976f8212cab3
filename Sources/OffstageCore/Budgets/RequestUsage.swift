// SPDX-License-Identifier: Apache-2.0

/// The weights of the requests being worked on: by connection, by process, and in total.
package struct RequestUsage: Sendable {
    /// Why another request cannot begin now.
    package enum Hold: Sendable, Hashable {
        /// Until one of the connection's requests is answered.
        case connection
        /// Until one of the process's requests is answered.
        case process
        /// Until any request is answered.
        case all
    }

    private let connection: ConnectionBudget
    private let process: ProcessBudget
    private let socket: SocketBudget
    private var ofConnection: [UInt64: Int] = [:]
    private var ofProcess: [Int32: Int] = [:]
    /// The weight of all requests.
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

    /// The reason why a request cannot begin; nil if it can. With none under way, even a request that exceeds its own
    /// budget may begin, so that none waits forever.
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

    /// Records that a request was answered, whether or not its connection still exists.
    package mutating func end(_ weight: Int, of id: UInt64, _ number: Int32) {
        Self.subtract(weight, from: &ofConnection, id)
        Self.subtract(weight, from: &ofProcess, number)
        total -= weight
    }

    /// Whether a connection has a request under way.
    package func isBusy(_ id: UInt64) -> Bool { ofConnection[id] != nil }

    private static func subtract<Key>(_ weight: Int, from weights: inout [Key: Int], _ key: Key) {
        let left = (weights[key] ?? 0) - weight
        weights[key] = left > 0 ? left : nil
    }
}
