// SPDX-License-Identifier: Apache-2.0
import Foundation
package import OffstageClient
import OffstageCore
import OffstageFiles
package import OffstageProtocol

/// Asks the daemon, over a connection of its own, which blocks the caller, but not for long; starts a daemon where none
/// runs. From any thread, one at a time.
/// Unchecked: its variables are only touched with the lock held.
package final class DaemonDesk: @unchecked Sendable {
    /// Seconds until there has to be an answer, whatever it is that takes the time.
    private static let patience = 10.0

    private let lock = NSLock()
    // Guarded by `lock`.
    private var connection: DaemonConnection?

    package init() {}

    /// Asks and waits; the app is not suspended meanwhile. When the connection breaks, because the daemon has gone meanwhile, the next is asked once.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - again: what is asked then; nil for the same.
    ///   - seconds: until there has to be an answer; nil for as many as people wait.
    ///   - startsDaemon: whether one is started where none runs.
    /// - Returns: the answer.
    /// - Throws: the daemon's refusal, and why there is no answer.
    package func ask<Request: WireRequest>(
        _ request: Request,
        again: Request? = nil,
        within seconds: Double? = nil,
        startsDaemon: Bool = true
    ) throws(OffstageError) -> Request.Reply {
        try AppCode.current.run { () throws(OffstageError) in
            let patience = seconds ?? Self.patience
            let end = ContinuousClock.now + .seconds(patience)
            guard lock.lock(before: Date(timeIntervalSinceNow: patience)) else {
                throw OffstageError(.timedOut, "its socket", detail: "another question of the app waits for it")
            }
            defer { lock.unlock() }
            return try send(request, again: again, by: end, startsDaemon: startsDaemon)
        }
    }

    private func send<Request: WireRequest>(
        _ request: Request,
        again: Request?,
        by end: ContinuousClock.Instant,
        startsDaemon: Bool
    ) throws(OffstageError) -> Request.Reply {
        do throws(OffstageError) {
            guard let connection else { return try send(request, over: connect(by: end, startsDaemon), by: end) }
            return try send(request, over: connection, by: end)
        } catch {
            guard error.code == .connectionLost || error.code == .shuttingDown else { throw error }
        }
        return try send(again ?? request, over: connect(by: end, startsDaemon), by: end)
    }

    private func send<Request: WireRequest>(
        _ request: Request,
        over connection: DaemonConnection,
        by end: ContinuousClock.Instant
    ) throws(OffstageError) -> Request.Reply {
        self.connection = connection
        do throws(OffstageError) {
            return try connection.send(request, within: Self.left(until: end))
        } catch {
            // An answer that comes too late would be taken for the next one's.
            if error.code == .connectionLost || error.code == .timedOut || error.code == .shuttingDown {
                self.connection = nil
            }
            throw error
        }
    }

    private static func left(until end: ContinuousClock.Instant) -> Double {
        max(0, (end - .now) / .seconds(1))
    }

    private func connect(
        by end: ContinuousClock.Instant,
        _ startsDaemon: Bool
    ) throws(OffstageError) -> DaemonConnection {
        let environment = OriginalEnvironment.variables
        let paths: OffstagePaths
        do throws(SettingsError) {
            paths = try OffstagePaths.ofThisUser(environment)
        } catch {
            throw OffstageError(.daemonUnreachable, "nowhere", detail: error.sentence)
        }
        let connector = DaemonConnector(
            paths: paths,
            environment: environment,
            client: ProcessInfo.processInfo.processName,
            startsDaemon: startsDaemon
        )
        return try connector.connect(within: Self.left(until: end))
    }
}
