// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// The peers of connections that send apps' requests, each identified once.
///
/// Belongs to `TaskCenter`; every call is on the loop.
final class TaskClients {
    private let loop: EventLoop
    private let apps: any WorkApps
    private var asked: [TaskCenter.ConnectionID: Task<AppFacts?, Never>] = [:]

    init(loop: EventLoop, apps: any WorkApps) {
        self.loop = loop
        self.apps = apps
    }

    /// Facts about a connection's process, from the kernel and its bundle.
    ///
    /// - Parameters:
    ///   - connection: the connection.
    ///   - peer: the process's number, and a pidfd or -1, which is closed here; nil if the connection has ended.
    /// - Returns: its facts.
    /// - Throws: `WireFailure` if it cannot be identified.
    func facts(
        of connection: TaskCenter.ConnectionID,
        peer: @Sendable () -> (process: Int32, pidfd: Int32)?
    ) async throws -> AppFacts {
        let question: Task<AppFacts?, Never>
        if let known = asked[connection] {
            question = known
        } else {
            guard let peer = peer() else {
                throw WireFailure(.badRequest, "The connection of this app has ended.")
            }
            let apps = apps
            question = loop.startTask { await apps.facts(ofProcess: peer.process, pidfd: peer.pidfd) }
            asked[connection] = question
        }
        guard let facts = await question.value else {
            asked[connection] = nil
            throw WireFailure.unknownProcess
        }
        return facts
    }

    /// Forgets a connection that has ended.
    func ended(_ connection: TaskCenter.ConnectionID) { asked[connection] = nil }
}
