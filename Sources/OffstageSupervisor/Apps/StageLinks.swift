// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The connections through which apps' processes are on stage: the app of each, and the order of its messages.
///
/// A process that is being attached is answered first; its reports and commands wait until then. Belongs to
/// `AppCenter`; every call is on the loop.
package final class StageLinks {
    package typealias ConnectionID = AppCenter.ConnectionID

    /// The server's actions on a connection, on the loop. Each may end connections before it returns.
    package struct Server {
        /// Sends a command to the connection.
        var send: @Sendable (StageCommand, ConnectionID) -> Void
        /// Hangs up the connection.
        var hangUp: @Sendable (ConnectionID) -> Void
        /// Handles what the peer sent before it ended; calls `AppCenter.reported`.
        var readRest: @Sendable (ConnectionID) -> Void

        package init(
            send: @escaping @Sendable (StageCommand, ConnectionID) -> Void,
            hangUp: @escaping @Sendable (ConnectionID) -> Void,
            readRest: @escaping @Sendable (ConnectionID) -> Void
        ) {
            (self.send, self.hangUp, self.readRest) = (send, hangUp, readRest)
        }
    }

    /// The role of a connection that has ended.
    package enum Ended {
        /// The app's process has lost its link.
        case stage(SupervisedApp)
        /// Its process was being attached.
        case attaching
        /// It did not belong to an app.
        case other
    }

    /// How a report is treated.
    package enum Keeping: Sendable, Hashable {
        /// It waits until its process has been attached.
        case waits
        /// It counts now.
        case counts
        /// Too many reports are waiting: the process cannot be followed.
        case tooMany
    }

    /// The reports of a process that is being attached.
    private struct Waiting {
        var reports: [StageReport] = []
        var bytes = 0
    }

    private let budget = StageBudget()
    private var server: Server?
    /// The apps of attached connections.
    private var apps: [ConnectionID: SupervisedApp] = [:]
    /// Connections whose processes are being attached, with their reports in the meantime.
    private var reports: [ConnectionID: Waiting] = [:]
    /// Commands for connections that are still waiting for the reply to their attaching.
    private var commands: [ConnectionID: [StageCommand]] = [:]

    package init() {}

    package func start(_ server: Server) { self.server = server }

    // MARK: Attaching

    /// Begins to attach a connection's process; false if that has already begun.
    package func beginAttaching(_ connection: ConnectionID) -> Bool {
        guard apps[connection] == nil, reports[connection] == nil else { return false }
        reports[connection] = Waiting()
        commands[connection] = []
        return true
    }

    /// Whether its process is being attached, and it has not ended.
    package func isAttaching(_ connection: ConnectionID) -> Bool { reports[connection] != nil }

    /// Refuses the connection's process.
    package func refuse(_ connection: ConnectionID) {
        reports[connection] = nil
        commands[connection] = nil
    }

    /// Sends the waiting commands after the reply, which is on its way.
    ///
    /// - Returns: the waiting reports, to be handled now.
    package func answered(_ connection: ConnectionID) -> [StageReport] {
        for command in commands.removeValue(forKey: connection) ?? [] { server?.send(command, connection) }
        return reports.removeValue(forKey: connection)?.reports ?? []
    }

    /// Assigns the connection to the process; its former connection is hung up.
    func give(_ connection: ConnectionID, to stage: StageProcess, of app: SupervisedApp) {
        if let older = stage.connection {
            apps[older] = nil
            stage.connection = nil
            server?.hangUp(older)
        }
        stage.connection = connection
        give(connection, to: app)
    }

    /// Records that the connection's process has become the app's.
    package func give(_ connection: ConnectionID, to app: SupervisedApp) { apps[connection] = app }

    /// Records that the connection's process no longer belongs to an app.
    package func remove(_ connection: ConnectionID) {
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

    // MARK: Messages

    /// The app of the process at the other end.
    package func app(of connection: ConnectionID) -> SupervisedApp? {
        apps[connection].flatMap { $0.process?.connection == connection ? $0 : nil }
    }

    /// Keeps a report of the given size while its process is being attached.
    package func keep(_ report: StageReport, bytes: Int, of connection: ConnectionID) -> Keeping {
        guard let waiting = reports[connection] else { return .counts }
        guard waiting.reports.count < budget.waitingReports, bytes <= budget.waitingBytes - waiting.bytes else {
            return .tooMany
        }
        reports[connection]?.reports.append(report)
        reports[connection]?.bytes += bytes  // checked: within the budget
        return .waits
    }

    /// Sends a command now, or after the reply to a process that is being attached.
    package func send(_ command: StageCommand, to connection: ConnectionID) {
        if commands[connection]?.append(command) == nil { server?.send(command, connection) }
    }

    package func hangUp(_ connection: ConnectionID) { server?.hangUp(connection) }
    package func readRest(of connection: ConnectionID) { server?.readRest(connection) }
}
