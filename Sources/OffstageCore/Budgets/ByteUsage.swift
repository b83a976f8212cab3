// SPDX-License-Identifier: Apache-2.0

/// The bytes held for connections: incomplete frames, and unread answers.
package struct ByteUsage: Sendable {
    private let limit: Int
    private var held: [UInt64: (process: Int32, bytes: Int)] = [:]
    /// The bytes of all connections.
    package private(set) var total = 0

    package init(limit: Int = SocketBudget().bytes) { self.limit = limit }

    package mutating func set(_ bytes: Int, for connection: UInt64, of process: Int32) {
        total += bytes - (held[connection]?.bytes ?? 0)
        held[connection] = bytes > 0 ? (process, bytes) : nil
    }

    package mutating func remove(_ connection: UInt64) {
        total -= held.removeValue(forKey: connection)?.bytes ?? 0
    }

    /// The connection to drop so that the others can continue: the largest one of the process whose connections hold
    /// the most bytes. Nil while there is room. The cost grows with the number of connections that hold bytes.
    package var victim: UInt64? {
        guard total > limit else { return nil }
        var ofProcess: [Int32: Int] = [:]
        for entry in held.values { ofProcess[entry.process, default: 0] += entry.bytes }
        guard let most = ofProcess.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else { return nil }
        return held.filter { $0.value.process == most }
            .max { ($0.value.bytes, $1.key) < ($1.value.bytes, $0.key) }?.key
    }
}
