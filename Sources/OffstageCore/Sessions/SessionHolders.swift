// SPDX-License-Identifier: Apache-2.0

/// Which connection has which session: one at a time, and no other process takes it away.
package struct SessionHolders: Sendable, Equatable {
    package typealias Connection = UInt64

    /// What becomes of a wish to have a session.
    package enum Ruling: Sendable, Equatable {
        /// It has it from now on.
        case granted
        /// It has it from now on; the same process's former connection has it no more.
        case takenOver(from: Connection)
        /// Another process has it, which may be dying: to be asked again when it has let go, or refused after a while.
        case held(by: Connection)
    }

    private struct Holder: Sendable, Equatable {
        var connection: Connection
        var process: ProcessIdentity
    }

    private var holders: [SessionName: Holder] = [:]

    package init() {}

    /// The connection that has the session.
    package func holder(of session: SessionName) -> Connection? { holders[session]?.connection }

    /// The process that has the session.
    package func process(of session: SessionName) -> ProcessIdentity? { holders[session]?.process }

    /// An app's sessions that somebody has.
    package func sessions(of app: String) -> [SessionName] { holders.keys.filter { $0.app == app } }

    /// A connection of this process wants the session.
    package mutating func open(_ session: SessionName, connection: Connection, process: ProcessIdentity) -> Ruling {
        let wanted = Holder(connection: connection, process: process)
        guard let held = holders[session], held.connection != connection else {
            holders[session] = wanted
            return .granted
        }
        guard held.process == process else { return .held(by: held.connection) }
        holders[session] = wanted
        return .takenOver(from: held.connection)
    }

    /// Whether all tasks of a session may be cancelled by what this process handed over: not while another has the
    /// session, unless it had it before that.
    package func mayCancelAll(_ session: SessionName, process: ProcessIdentity?, hadIt: Bool) -> Bool {
        guard let held = holders[session], let process, held.process != process else { return true }
        return hadIt
    }

    /// A connection gives the session up. Returns whether it had it.
    package mutating func close(_ session: SessionName, connection: Connection) -> Bool {
        guard holders[session]?.connection == connection else { return false }
        holders[session] = nil
        return true
    }

    /// A connection is gone. Returns the sessions that it had.
    package mutating func ended(_ connection: Connection) -> [SessionName] {
        let sessions = holders.filter { $0.value.connection == connection }.map(\.key)
        for session in sessions { holders[session] = nil }
        return sessions
    }

    /// Seconds that another process is given to let go: one that was just killed hangs up within that.
    package static let patience = 1.0
}
