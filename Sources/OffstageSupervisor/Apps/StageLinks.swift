// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The connections that apps' processes are on stage by: whose each is, and in which order what is said goes over it.
///
/// A process that is being attached is answered first: what it reports meanwhile, and what it is to be told, waits.
/// Belongs to `AppCenter`; every call is on the loop.
package final class StageLinks {
    package typealias ConnectionID = AppCenter.ConnectionID

    /// What the server does with a connection, on the loop. Each may end connections before it returns.
    package struct Server {
        /// Sends a command to it.
        var send: @Sendable (StageCommand, ConnectionID) -> Void
        /// Hangs up on it.
        var hangUp: @Sendable (ConnectionID) -> Void
        /// Takes what its peer has sent before it ended: `AppCenter.reported` is called meanwhile.
        var readRest: @Sendable (ConnectionID) -> Void

        package init(
            send: @escaping @Sendable (StageCommand, ConnectionID) -> Void,
            hangUp: @escaping @Sendable (ConnectionID) -> Void,
            readRest: @escaping @Sendable (ConnectionID) -> Void
        ) {
            (self.send, self.hangUp, self.readRest) = (send, hangUp, readRest)
        }
    }

    /// Whose connection has ended.
    package enum Ended {
        /// The app's process has lost its link.
        case stage(SupervisedApp)
        /// Its process was just being attached.
        case attaching
        /// It was nobody's.
        case other
    }

    private var server: Server?
    /// The apps of the connections that processes have attached by.
    private var apps: [ConnectionID: SupervisedApp] = [:]
    /// Connections whose processes are being attached, with what they have reported meanwhile.
    private var reports: [ConnectionID: [StageReport]] = [:]
    /// Commands for connections whose attaching has not been answered.
    private var commands: [ConnectionID: [StageCommand]] = [:]

    package init() {}

    package func start(_ server: Server) { self.server = server }

    // MARK: Attaching

    /// Begins to attach a connection's process; false when that was begun already.
    package func beginAttaching(_ connection: ConnectionID) -> Bool {
        guard apps[connection] == nil, reports[connection] == nil else { return false }
        reports[connection] = []
        commands[connection] = []
        return true
    }

    /// Whether its process is being attached, and it has not ended.
    package func isAttaching(_ connection: ConnectionID) -> Bool { reports[connection] != nil }

    /// Its process is refused.
    package func refuse(_ connection: ConnectionID) {
        reports[connection] = nil
        commands[connection] = nil
    }

    /// The reply is on its way: what was to be told meanwhile goes after it.
    ///
    /// - Returns: what was reported meanwhile, which counts now.
    package func answered(_ connection: ConnectionID) -> [StageReport] {
        for command in commands.removeValue(forKey: connection) ?? [] { server?.send(command, connection) }
        return reports.removeValue(forKey: connection) ?? []
    }

    /// The connection is from now on the process's; one that it had before is hung up on.
    func give(_ connection: ConnectionID, to stage: StageProcess, of app: SupervisedApp) {
        if let older = stage.connection {
            apps[older] = nil
            stage.connection = nil
            server?.hangUp(older)
        }
        stage.connection = connection
        give(connection, to: app)
    }

    /// The connection's process has become the app's.
    package func give(_ connection: ConnectionID, to app: SupervisedApp) { apps[connection] = app }

    /// The connection's process is no app's any more.
    package func take(_ connection: ConnectionID) {
        apps[connection] = nil
        commands[connection] = nil
    }

    /// Forgets a connection that has ended.
    package func ended(_ connection: ConnectionID) -> Ended {
        let wasAttaching = reports.removeValue(forKey: connection) != nil
        commands[connection] = nil
        if let app = apps.removeValue(forKey: connection), app.process?.connection == connection {
            app.process?.connection = nil
            return .stage(app)
        }
        return wasAttaching ? .attaching : .other
    }

    // MARK: What is said

    /// The app whose process is at the other end.
    package func app(of connection: ConnectionID) -> SupervisedApp? {
        apps[connection].flatMap { $0.process?.connection == connection ? $0 : nil }
    }

    /// Keeps a report for later, while its process is being attached; false when it counts now.
    package func keeps(_ report: StageReport, of connection: ConnectionID) -> Bool {
        reports[connection]?.append(report) != nil
    }

    /// Sends a command now, or after the reply to a process that is being attached.
    package func send(_ command: StageCommand, to connection: ConnectionID) {
        if commands[connection]?.append(command) == nil { server?.send(command, connection) }
    }

    package func hangUp(_ connection: ConnectionID) { server?.hangUp(connection) }
    package func readRest(of connection: ConnectionID) { server?.readRest(connection) }
}
