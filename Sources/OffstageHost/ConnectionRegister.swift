// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
package import OffstageCore
package import OffstageProtocol

/// All connections, their counts for each process and for apps, and the choice of which one makes room for another.
///
/// Belongs to the server actor; every call is on the loop.
package final class ConnectionRegister {
    private var connections: [UInt64: Connection] = [:]
    private var perProcess: [Int32: Int] = [:]
    private var nextID: UInt64 = 1
    /// The number of app connections. Apps keep them while suspended; they must not keep a command out.
    private var ofApps = 0
    private let mostOfApps: Int
    private let budget: SocketBudget
    private let processBudget: ProcessBudget
    /// Grows whenever any connection is served.
    private var served: UInt64 = 0
    /// The number of transfers that all connections together watch by number.
    private var watchedTransfers = 0

    /// The decision about a process's new connection.
    package enum Ruling {
        case admitted
        /// Admitted once this connection, whose place it takes, is dropped.
        case admittedFor(Connection)
        case refused(String)
    }

    /// The daemon may open `descriptorLimit` files; a connection of an app costs three.
    package init(_ budget: SocketBudget, perProcess: ProcessBudget, descriptorLimit: Int) {
        self.budget = budget
        processBudget = perProcess
        mostOfApps = descriptorLimit / 6
    }

    package subscript(id: UInt64) -> Connection? { connections[id] }
    package var all: [Connection] { Array(connections.values) }
    package var count: Int { connections.count }

    package func makeID() -> UInt64 {
        defer { nextID += 1 }
        return nextID
    }

    /// Whether a new connection of a process is admitted; `isBusy` returns whether a request of a connection is being
    /// worked on.
    package func ruling(for process: Int32, isBusy: (UInt64) -> Bool) -> Ruling {
        let limit = processBudget.connections
        if perProcess[process, default: 0] >= limit {
            return .refused("one process may have \(limit) connections: close some.")
        }
        guard connections.count - ofApps >= budget.connections else { return .admitted }
        let roll = connections.values.filter { !$0.isOfApp }.map {
            ConnectionRoll.Entry(
                id: $0.id,
                process: $0.peerProcess,
                hasSaidHello: $0.hasSaidHello,
                isBusy: isBusy($0.id),
                lastServed: $0.lastServed
            )
        }
        guard let victim = ConnectionRoll.victim(among: roll, for: process), let other = connections[victim]
        else { return .refused("the daemon has \(budget.connections) connections: close some.") }
        return .admittedFor(other)
    }

    package func add(_ connection: Connection) {
        perProcess[connection.peerProcess, default: 0] += 1
        connections[connection.id] = connection
    }

    /// Forgets a connection; false if it was already forgotten.
    package func remove(_ connection: Connection) -> Bool {
        guard connections.removeValue(forKey: connection.id) != nil else { return false }
        let process = connection.peerProcess
        if connection.isOfApp { ofApps -= 1 }
        perProcess[process, default: 1] -= 1
        if perProcess[process] == 0 { perProcess[process] = nil }
        watchedTransfers -= connection.observations.count  // checked: what was added for it
        return true
    }

    /// Records that the connection is being served.
    package func serve(_ connection: Connection) {
        served += 1
        connection.lastServed = served
    }

    /// Records that an app has claimed the connection.
    ///
    /// - Throws: `WireFailure` when apps have too many.
    package func takeForApp(_ id: UInt64) throws(WireFailure) {
        guard let connection = connections[id], !connection.isOfApp else { return }
        guard ofApps < mostOfApps else {
            throw WireFailure(
                .tooManyConnections,
                "Too many connections: apps have \(mostOfApps). Terminate some, or raise the limit of open files."
            )
        }
        connection.isOfApp = true
        ofApps += 1
    }

    /// Records that an app has claimed the connection, and identifies its peer.
    ///
    /// - Returns: the kernel's information about the peer: its process number, and a pidfd or -1, which the caller
    ///   closes; nil if the connection has ended.
    /// - Throws: `WireFailure` when apps have too many connections. No pidfd is left open then: a refused app tries
    ///   again and again.
    package func peerForApp(_ id: UInt64) throws(WireFailure) -> (process: Int32, pidfd: Int32)? {
        try takeForApp(id)
        return peer(of: id)
    }

    /// The kernel's information about a connection's peer: its process number, and a pidfd or -1.
    package func peer(of id: UInt64) -> (process: Int32, pidfd: Int32)? {
        connections[id].map { ($0.peerProcess, offstage_peer_pidfd($0.fileDescriptor)) }
    }

    /// Whether a connection may watch this many more transfers by number.
    package func mayWatch(_ count: Int, more connection: Connection) -> Bool {
        connection.observations.count + count <= Connection.budget.watchedTransfers
            && watchedTransfers + count <= budget.watchedTransfers
    }

    /// Records that a connection watches this many more transfers.
    package func watch(
        _ count: Int,
        by token: UInt64,
        of kind: TransferObservations.Kind,
        for connection: Connection
    ) {
        connection.observations.add(count, to: token, of: kind)
        watchedTransfers += count
    }
}
