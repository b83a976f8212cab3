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

    /// Asks and waits. When the connection breaks, because the daemon has gone meanwhile, it is asked once more.
    func ask<Request: WireRequest>(_ request: Request) throws(OffstageError) -> Request.Reply {
        lock.lock()
        defer { lock.unlock() }
        return try send(request)
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

    private func send<Request: WireRequest>(_ request: Request) throws(OffstageError) -> Request.Reply {
        if let connection {
            do throws(OffstageError) {
                return try connection.send(request)
            } catch {
                // An answer that comes too late would be taken for the next one's.
                if error.code == .connectionLost || error.code == .timedOut || error.code == .shuttingDown {
                    self.connection = nil
                }
                guard error.code == .connectionLost || error.code == .shuttingDown else { throw error }
            }
        }
        let connection = try connect()
        let reply = try connection.send(request)
        self.connection = connection
        return reply
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
