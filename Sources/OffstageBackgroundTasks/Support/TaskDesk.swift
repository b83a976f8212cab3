// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Asks the daemon, over a connection of its own, which blocks the caller; starts a daemon where none runs. From any thread,
/// one at a time.
/// Unchecked: its variables are only touched with the lock held.
final class TaskDesk: @unchecked Sendable {
    /// Seconds to wait for an answer.
    private static let patience = 10.0
    /// Seconds for which a daemon that could not be asked for the rules is not asked again: an app registers its handlers
    /// one after the other, and is to be launched all the same.
    private static let pause = 10.0

    private let lock = NSLock()
    // Guarded by `lock`.
    private var connection: DaemonConnection?
    private var rules: TaskRules.Reply?
    private var rulesFailed: ContinuousClock.Instant?

    /// Asks and waits. When the connection breaks, because the daemon has gone meanwhile, the next is asked once.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - again: what is asked then; nil for the same.
    /// - Returns: the answer.
    /// - Throws: `OffstageError` when there is none.
    func ask<Request: WireRequest>(
        _ request: Request,
        again: Request? = nil
    ) throws(OffstageError) -> Request.Reply {
        lock.lock()
        defer { lock.unlock() }
        return try send(request, again: again)
    }

    /// What the app's `Info.plist` permits; nil when the daemon cannot be asked.
    func permissions() -> TaskRules.Reply? {
        lock.lock()
        defer { lock.unlock() }
        if let rules { return rules }
        if let rulesFailed, ContinuousClock.now - rulesFailed < .seconds(Self.pause) { return nil }
        rules = try? send(TaskRules())
        rulesFailed = rules == nil ? .now : nil
        return rules
    }

    private func send<Request: WireRequest>(
        _ request: Request,
        again: Request? = nil
    ) throws(OffstageError) -> Request.Reply {
        do throws(OffstageError) {
            if let connection { return try send(request, over: connection) }
            return try send(request, over: connect())
        } catch {
            guard error.code == .connectionLost || error.code == .shuttingDown else { throw error }
        }
        return try send(again ?? request, over: connect())
    }

    private func send<Request: WireRequest>(
        _ request: Request,
        over connection: DaemonConnection
    ) throws(OffstageError) -> Request.Reply {
        self.connection = connection
        do throws(OffstageError) {
            return try connection.send(request)
        } catch {
            // An answer that comes too late would be taken for the next one's.
            if error.code == .connectionLost || error.code == .timedOut || error.code == .shuttingDown {
                self.connection = nil
            }
            throw error
        }
    }

    private func connect() throws(OffstageError) -> DaemonConnection {
        let environment = ProcessInfo.processInfo.environment
        let paths: OffstagePaths
        do throws(SettingsError) {
            paths = try OffstagePaths(environment: environment)
        } catch {
            throw OffstageError(.daemonUnreachable, "nowhere", detail: error.sentence)
        }
        var connector = DaemonConnector(
            paths: paths,
            environment: environment,
            client: ProcessInfo.processInfo.processName,
            startsDaemon: true
        )
        connector.patience = Self.patience
        return try connector.connect()
    }
}
