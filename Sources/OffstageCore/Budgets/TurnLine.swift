// SPDX-License-Identifier: Apache-2.0

/// Decides which frame is handled next: processes take turns, and so do the connections of each process. A process with
/// a hundred connections, or a million requests, delays another process by one frame.
package struct TurnLine: Sendable {
    private var order: [Int32] = []
    private var waiting: [Int32: [UInt64]] = [:]
    private var held: Set<Int32> = []
    /// Connections that wait for any request to end.
    private var heldForAll: Set<Int32> = []

    package init() {}

    /// Whether no connection can get a turn now.
    package var isEmpty: Bool { order.isEmpty }

    /// Adds a connection that has a frame to be handled.
    package mutating func add(_ connection: UInt64, of process: Int32) {
        guard let others = waiting[process] else {
            waiting[process] = [connection]
            if !held.contains(process) { order.append(process) }
            return
        }
        if !others.contains(connection) { waiting[process]?.append(connection) }
    }

    /// Removes and returns the next connection.
    package mutating func next() -> (connection: UInt64, process: Int32)? {
        while !order.isEmpty {
            let process = order.removeFirst()
            guard let connection = waiting[process]?.removeFirst() else { continue }
            if waiting[process]?.isEmpty == true { waiting[process] = nil } else { order.append(process) }
            return (connection, process)
        }
        return nil
    }

    /// Makes a connection wait until a request of its process, or any request, ends; it is then the first of its
    /// process.
    package mutating func hold(_ connection: UInt64, of process: Int32, forAll: Bool) {
        waiting[process, default: []].insert(connection, at: 0)
        held.insert(process)
        if forAll { heldForAll.insert(process) }
        order.removeAll { $0 == process }
    }

    /// Records that a request of a process has ended.
    package mutating func release(_ process: Int32) {
        if held.remove(process) != nil, waiting[process] != nil { order.append(process) }
        for other in heldForAll where other != process {
            if held.remove(other) != nil, waiting[other] != nil { order.append(other) }
        }
        heldForAll = []
    }

    /// Removes a connection that has ended, or has nothing left to be handled.
    package mutating func remove(_ connection: UInt64, of process: Int32) {
        guard var others = waiting[process] else { return }
        others.removeAll { $0 == connection }
        waiting[process] = others.isEmpty ? nil : others
        if others.isEmpty {
            order.removeAll { $0 == process }
            held.remove(process)
            heldForAll.remove(process)
        }
    }
}
