// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTransfers

/// The requests of background sessions: decode, one call, encode.
extension DaemonServer {
    /// Nil for a request that is not about sessions.
    func sessionRoute(_ frame: WireFrame, connection: UInt64) async throws -> RouteAnswer? {
        switch frame.name {
        case OpenApp.name:
            guard let peer = peer(of: connection) else { throw SessionCenter.notAnApp }
            try takeForApp(connection)
            let opened = try await sessions.openApp(
                connection: connection,
                process: peer.process,
                pidfd: peer.pidfd
            )
            return RouteAnswer(payload: try WireCoding.encode(opened.reply), descriptor: opened.journal)
        case OpenSession.name:
            let identifier = try await decode(OpenSession.self, frame).identifier
            let reply = try await sessions.open(identifier, connection: connection)
            let sessions = sessions
            return RouteAnswer(payload: try WireCoding.encode(reply)) {
                sessions.assumeIsolated { $0.askOpenQuestions(identifier, connection: connection) }
            }
        case CloseSession.name:
            try await sessions.close(decode(CloseSession.self, frame).identifier, connection: connection)
            return RouteAnswer(payload: try WireCoding.encode(Empty()))
        case ListSessionTasks.name:
            let request = try await decode(ListSessionTasks.self, frame)
            return RouteAnswer(payload: try await sessions.tasks(request, connection: connection))
        case ListPendingEnds.name:
            let request = try await decode(ListPendingEnds.self, frame)
            return RouteAnswer(payload: try await sessions.ends(request, connection: connection))
        default:
            return nil
        }
    }
}
