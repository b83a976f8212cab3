// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// Who is at the other end of the connections that have asked for something as an app: asked for once for each.
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

    /// What the kernel and the bundle say of a connection's process.
    ///
    /// - Parameters:
    ///   - connection: the connection.
    ///   - peer: the process's number, and a pidfd or -1, which is closed here; nil when the connection has ended.
    /// - Returns: its facts.
    /// - Throws: `WireFailure` when nobody can tell.
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

    /// A connection is gone.
    func ended(_ connection: TaskCenter.ConnectionID) { asked[connection] = nil }
}
