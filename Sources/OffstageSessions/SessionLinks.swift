// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// The connections of apps: each with its app, its journal, and a way to send it events.
///
/// `@unchecked Sendable`: belongs to the loop, like its users.
final class SessionLinks: @unchecked Sendable {
    typealias ConnectionID = SessionCenter.ConnectionID

    /// A connection of an app.
    struct Client {
        var identity: PeerIdentity
        var journal: HandOverJournal
    }

    private var clients: [ConnectionID: Client] = [:]
    /// Connections whose app is being identified.
    private var opening: Set<ConnectionID> = []
    /// The last process of each app that a person quit, which is being ended.
    private var quitProcesses: [String: ProcessIdentity] = [:]
    private var sender: (@Sendable (SessionEvent, ConnectionID) -> Void)?
    private var ender: (@Sendable (ConnectionID) -> Void)?

    /// - Parameters:
    ///   - send: sends an event to a connection, on the loop.
    ///   - hangUp: hangs up a connection, on the loop.
    func start(
        send: @escaping @Sendable (SessionEvent, ConnectionID) -> Void,
        hangUp: @escaping @Sendable (ConnectionID) -> Void
    ) {
        (sender, ender) = (send, hangUp)
    }

    func send(_ event: SessionEvent, to connection: ConnectionID) { sender?(event, connection) }
    func hangUp(_ connection: ConnectionID) { ender?(connection) }

    // MARK: Whose

    /// Begins to assign a connection to an app: false if it already has one, or has already asked.
    func beginOpening(_ connection: ConnectionID) -> Bool {
        clients[connection] == nil && opening.insert(connection).inserted
    }

    /// Ends the assignment, which has succeeded or was refused.
    func endOpening(_ connection: ConnectionID) { opening.remove(connection) }

    func add(_ client: Client, _ connection: ConnectionID) { clients[connection] = client }
    func remove(_ connection: ConnectionID) -> Client? { clients.removeValue(forKey: connection) }
    func contains(_ connection: ConnectionID) -> Bool { clients[connection] != nil }

    /// - Throws: `WireFailure` if the connection does not belong to an app.
    func client(_ connection: ConnectionID) throws(WireFailure) -> Client {
        guard let client = clients[connection] else { throw .notAnApp }
        return client
    }

    func journal(of connection: ConnectionID) -> HandOverJournal? { clients[connection]?.journal }
    func journals(of app: String) -> [HandOverJournal] { clients.values.map(\.journal).filter { $0.app == app } }

    /// The connected processes of an app.
    func processes(of app: String) -> Set<ProcessIdentity> {
        Set(clients.values.lazy.map(\.identity).filter { $0.app == app }.map(\.process))
    }

    func isConnected(_ process: ProcessIdentity) -> Bool { clients.values.contains { $0.identity.process == process } }

    /// The earlier connections of a reconnecting process: it has abandoned them, although that may not have been
    /// noticed yet.
    func older(than connection: ConnectionID, of process: ProcessIdentity) -> [ConnectionID] {
        clients.filter { $0.key < connection && $0.value.identity.process == process }.keys.sorted()
    }

    // MARK: Apps that are quit

    /// Cancels everything that a process being ended hands over, whichever connection it uses.
    func quit(_ app: String, ending process: ProcessIdentity?) {
        quitProcesses[app] = process
        for client in clients.values where client.identity.app == app && client.identity.process == process {
            client.journal.isCancelled = true
        }
    }

    func isBeingEnded(_ identity: PeerIdentity) -> Bool { quitProcesses[identity.app] == identity.process }
}

extension WireFailure {
    package static var notAnApp: WireFailure {
        WireFailure(.badRequest, "This connection belongs to no app: app.open comes first.")
    }
}
