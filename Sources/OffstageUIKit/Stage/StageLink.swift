// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import OffstageClient
import OffstageCore
import OffstageFiles
import OffstageProtocol

/// The link's thread: connects, starts a daemon if none is running, attaches, sends reports in order and forwards
/// commands. Keeps trying as long as it is wanted. Used only by that thread.
final class StageLink {
    private let stage: Stage
    private let environment: [String: String]
    private var connection: DaemonConnection?
    /// When the next attempt is due.
    private var nextTry = ContinuousClock.now
    /// When attempts began to fail; nil while there is a connection.
    private var failingSince: ContinuousClock.Instant?
    private var pause: Duration = .zero
    /// Whether another process of the app is on stage.
    private var isRefused = false

    /// Failures for this long have a lasting cause: attempts become rare.
    private static let forbearance: Duration = .seconds(3)
    private static let shortestPause: Duration = .milliseconds(10)
    private static let longestPause: Duration = .seconds(30)

    init(_ stage: Stage, environment: [String: String]) {
        self.stage = stage
        self.environment = environment
    }

    /// Returns only when the process is not wanted and about to end.
    func run() {
        while !isRefused {
            if connection == nil, ContinuousClock.now >= nextTry { connect() }
            // Before the wait: a command may have arrived together with the answer that put the app on stage.
            for command in connection?.takeCommands() ?? [] { stage.deliver(command) }
            let isReadable = waitForSomething()
            guard let connection else { continue }
            do throws(OffstageError) {
                try sendReports(over: connection)
                if isReadable { try connection.receive() }
                for command in connection.takeCommands() { stage.deliver(command) }
            } catch {
                for command in connection.takeCommands() { stage.deliver(command) }
                lose()
            }
        }
    }

    private func sendReports(over connection: DaemonConnection) throws(OffstageError) {
        let reports = stage.takeReports()
        for report in reports { try connection.report(report) }
        if !reports.isEmpty { stage.sent() }
    }

    /// Whether the daemon has sent something.
    private func waitForSomething() -> Bool {
        var entries = [pollfd(fd: stage.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
        var timeout: Int32 = -1
        if let connection {
            entries.append(pollfd(fd: connection.fileDescriptor, events: Int16(POLLIN), revents: 0))
        } else {
            let left = (nextTry - .now) / .milliseconds(1)
            timeout = Int32(nearest: max(0, left.rounded(.up)))
        }
        guard poll(&entries, nfds_t(entries.count), timeout) > 0 else { return false }
        if entries[0].revents != 0 {
            var count: UInt64 = 0
            _ = read(stage.wakeDescriptor, &count, 8)
        }
        return entries.count == 2 && entries[1].revents != 0
    }

    // MARK: - Connecting

    private func connect() {
        do throws(OffstageError) {
            let connector = DaemonConnector(
                paths: try paths(),
                environment: environment,
                client: ProcessInfo.processInfo.processName,
                startsDaemon: true
            )
            let connection = try connector.connect()
            stage.asks(true)
            let reply = try connection.attach(stage.beginFollowing())
            self.connection = connection
            failingSince = nil
            pause = .zero
            stage.attached(reply)
        } catch {
            stage.endFollowing()
            stage.asks(false)
            if error.code == .inUse { refuse(error) }
            if error.code == .daemonNotFound { stage.tell(nil) }
            putOff()
        }
    }

    private func paths() throws(OffstageError) -> OffstagePaths {
        do throws(SettingsError) {
            return try OffstagePaths.ofThisUser(environment)
        } catch {
            throw OffstageError(.daemonUnreachable, "nowhere", detail: error.sentence)
        }
    }

    private func putOff() {
        let now = ContinuousClock.now
        let began = failingSince ?? now
        failingSince = began
        // A daemon that was killed is back in a moment; one that is not installed is not.
        let longest = now - began < Self.forbearance ? Duration.milliseconds(250) : Self.longestPause
        pause = min(max(pause * 2, Self.shortestPause), longest)
        nextTry = now + pause
    }

    private func lose() {
        connection = nil
        stage.endFollowing()
        nextTry = .now
    }

    /// Another process of the app is on stage: this one reports it, and ends.
    private func refuse(_ error: OffstageError) {
        isRefused = true
        if stage.tell(.refused(error)) { return }
        // It ran without a daemon until now, and has something to save.
        Stage.complain("\(error)")
        stage.deliver(.terminate)
    }
}
