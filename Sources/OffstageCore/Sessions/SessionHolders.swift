// SPDX-License-Identifier: Apache-2.0

/// Tracks which connection holds which session: one at a time, and no other process can take it away.
package struct SessionHolders: Sendable, Equatable {
    package typealias Connection = UInt64

    /// The answer to a request for a session.
    package enum Ruling: Sendable, Equatable {
        /// The connection holds the session from now on.
        case granted
        /// The connection holds the session from now on; the same process's former connection no longer does.
        case takenOver(from: Connection)
        /// Another process, which may be dying, holds it: ask again when it is released, or refuse after a while.
        case held(by: Connection)
        /// The connection already holds the maximum number of sessions.
        case tooMany
    }

    private struct Holder: Sendable, Equatable {
        var connection: Connection
        var process: ProcessIdentity
    }

    /// The most sessions that one connection may hold: each takes memory, and time when the connection hangs up.
    package static let most = 1000

    private var holders: [SessionName: Holder] = [:]
    /// The sessions held, by connection.
    private var held: [Connection: Set<SessionName>] = [:]

    package init() {}

    /// The connection that holds the session.
    package func holder(of session: SessionName) -> Connection? { holders[session]?.connection }

    /// The process that holds the session.
    package func process(of session: SessionName) -> ProcessIdentity? { holders[session]?.process }

    /// An app's sessions that have a holder.
    package func sessions(of app: String) -> [SessionName] { holders.keys.filter { $0.app == app } }

    /// A connection of this process wants the session.
    package mutating func open(_ session: SessionName, connection: Connection, process: ProcessIdentity) -> Ruling {
        let wanted = Holder(connection: connection, process: process)
        let holder = holders[session]
        if let holder {
            guard holder.connection != connection else {
                holders[session] = wanted
                return .granted
            }
            guard holder.process == process else { return .held(by: holder.connection) }
        }
        guard held[connection]?.count ?? 0 < Self.most else { return .tooMany }
        if let holder { remove(session, of: holder.connection) }
        holders[session] = wanted
        held[connection, default: []].insert(session)
        guard let holder else { return .granted }
        return .takenOver(from: holder.connection)
    }

    private mutating func remove(_ session: SessionName, of connection: Connection) {
        holders[session] = nil
        held[connection]?.remove(session)
        if held[connection]?.isEmpty == true { held[connection] = nil }
    }

    /// Whether records of this process may cancel all tasks of a session: not while another process holds the session,
    /// unless this one held it before.
    package func mayCancelAll(_ session: SessionName, process: ProcessIdentity?, hadIt: Bool) -> Bool {
        guard let holder = holders[session], let process, holder.process != process else { return true }
        return hadIt
    }

    /// A connection gives the session up. Returns whether it held it.
    package mutating func close(_ session: SessionName, connection: Connection) -> Bool {
        guard holders[session]?.connection == connection else { return false }
        remove(session, of: connection)
        return true
    }

    /// A connection has ended. Returns the sessions that it held.
    package mutating func ended(_ connection: Connection) -> [SessionName] {
        let sessions = held.removeValue(forKey: connection) ?? []
        for session in sessions { holders[session] = nil }
        return Array(sessions)
    }

    /// Seconds for another process to release a session: one that was just killed hangs up within that time.
    package static let patience = 1.0
}
