// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage
import OffstageClient
import OffstageCore
import OffstageFiles
import OffstageProtocol

/// Asks the daemon, over a connection of its own, which blocks the caller, but not for long; starts a daemon where none
/// runs. From any thread, one at a time.
/// Unchecked: its variables are only touched with the lock held.
final class TaskDesk: @unchecked Sendable {
    /// Seconds until there has to be an answer, whatever it is that takes the time.
    private static let patience = 10.0
    /// The same for the rules, which the main thread asks for while the app is launched.
    private static let patienceForRules = 3.0
    /// Seconds for which a daemon that could not be asked for the rules is not asked again: an app registers its handlers
    /// one after the other, and is to be launched all the same.
    private static let pause = 10.0

    private let lock = NSLock()
    // Guarded by `lock`.
    private var connection: DaemonConnection?
    private var rules: TaskRules.Reply?
    private var rulesFailed: ContinuousClock.Instant?

    /// Asks and waits; the app is not suspended meanwhile. When the connection breaks, because the daemon has gone meanwhile, the next is asked once.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - again: what is asked then; nil for the same.
    /// - Returns: the answer.
    /// - Throws: the daemon's refusal, and why there is no answer.
    func ask<Request: WireRequest>(
        _ request: Request,
        again: Request? = nil
    ) throws(OffstageError) -> Request.Reply {
        try AppCode.current.run { () throws(OffstageError) in try place(request, again: again) }
    }

    private func place<Request: WireRequest>(
        _ request: Request,
        again: Request?
    ) throws(OffstageError) -> Request.Reply {
        let end = ContinuousClock.now + .seconds(Self.patience)
        guard lock.lock(before: Date(timeIntervalSinceNow: Self.patience)) else {
            throw OffstageError(.timedOut, "its socket", detail: "another question of the app waits for it")
        }
        defer { lock.unlock() }
        return try send(request, again: again, by: end, startsDaemon: true)
    }

    /// What the app's `Info.plist` permits; nil when the daemon cannot be asked. None is started: who launches the app does
    /// that.
    func permissions() -> TaskRules.Reply? {
        let end = ContinuousClock.now + .seconds(Self.patienceForRules)
        guard lock.lock(before: Date(timeIntervalSinceNow: Self.patienceForRules)) else { return nil }
        defer { lock.unlock() }
        if let rules { return rules }
        if let rulesFailed, ContinuousClock.now - rulesFailed < .seconds(Self.pause) { return nil }
        do throws(OffstageError) {
            rules = try send(TaskRules(), again: nil, by: end, startsDaemon: false)
        } catch {
            // That there is none is known at once.
            if error.code != .daemonUnreachable { rulesFailed = .now }
        }
        return rules
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
