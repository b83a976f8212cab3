// SPDX-License-Identifier: Apache-2.0
import OffstageHost
import OffstageProtocol
import OffstageSessions

extension Route {
    /// The requests about background sessions.
    static let ofSessions = [
        Route(
            OpenApp.self,
            "makes the connection an app's; the reply brings its hand-over journal",
            answering: { server, _, connection in
                guard let peer = try server.connections.peerForApp(connection) else { throw WireFailure.notAnApp }
                let opened = try await server.sessions.openApp(
                    connection: connection,
                    process: peer.process,
                    pidfd: peer.pidfd
                )
                return (opened.reply, opened.journal, nil)
            }
        ),
        Route(
            OpenSession.self,
            "takes a background session for this connection",
            answering: { server, request, connection in
                let reply = try await server.sessions.open(request.identifier, connection: connection)
                let sessions = server.sessions
                return (
                    reply, -1,
                    { sessions.assumeIsolated { $0.askOpenQuestions(request.identifier, connection: connection) } }
                )
            }
        ),
        Route(
            CloseSession.self,
            "gives it up; its tasks continue",
            doing: { server, request, connection in
                try await server.sessions.close(request.identifier, connection: connection)
            }
        ),
        Route(
            ListSessionTasks.self,
            "its tasks that have not ended, 500 a page; the reply is no JSON but has a layout of its own (`SessionTaskPage.swift`)",
            encoding: { server, request, connection in
                try await server.sessions.tasks(request, connection: connection)
            }
        ),
        Route(
            ListPendingEnds.self,
            "its tasks that have ended and whose delegate has not been told, 100 a page",
            encoding: { server, request, connection in
                try await server.sessions.ends(request, connection: connection)
            }
        ),
    ]
}
