// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore
import OffstageHost
import OffstageProtocol
import OffstageRuntime
import OffstageTransfers

extension Route {
    /// The requests about apps, and the requests from apps on stage.
    static let ofApps = [
        Route(
            AttachApp.self,
            "makes the connection the link to an app's life cycle",
            answering: { server, request, connection in
                let reply = try await server.attach(request, connection: connection)
                let apps = server.apps
                return (reply, -1, { apps.assumeIsolated { $0.answered(connection) } })
            }
        ),
        Route(
            ListApps.self,
            "all apps with their states",
            encoding: { server, _, _ in
                try await server.listApps()
            }
        ),
        // Even a single row or entry may have a lot of text.
        Route(ShowApp.self, "everything about one app", rows: { _ in .max }) { server, request, _ in
            try await server.apps.show(request)
        },
        Route(ReadAppStory.self, "an app's story, entry by entry", rows: { _ in .max }) { server, request, _ in
            try await server.apps.story(request)
        },
        Route(InstallApp.self, "registers an app") { server, request, _ in try await server.apps.install(request) },
        Route(ActOnApp.self, "launches an app, moves it, ends it or forgets it") { server, request, connection in
            try await server.apps.act(request, connection: connection)
        },
        Route(
            SimulateMemoryPressure.self,
            "simulates a shortage of memory",
            doing: { server, _, _ in
                await server.apps.simulateMemoryPressure()
            }
        ),
    ]
}

extension DaemonServer {
    /// Listing ten thousand apps does not block the loop, and the memory is given back.
    fileprivate func listApps() async throws -> EncodedReply<ListApps.Reply> {
        let rows = await apps.list()
        let encoded = await workers.run {
            Result { try EncodedReply(ListApps.Reply(rows: rows.sorted { $0.id < $1.id })) }
        }
        if rows.count > 1000 {
            loop.startTask {
                // The reply has been sent by then.
                await loop.sleep(seconds: 1)
                workers.submit { offstage_trim_heap() }
            }
        }
        return try encoded.get()
    }

    fileprivate func attach(_ request: AttachApp, connection: UInt64) async throws -> AttachApp.Reply {
        guard let peer = try connections.peerForApp(connection) else {
            throw WireFailure(.badRequest, "The connection of this app has ended.")
        }
        var request = request
        request.view = request.view.shifted(by: loop.lead.seconds)
        var reply = try await apps.attach(request, connection: connection, process: peer.process, pidfd: peer.pidfd)
        reply.timeEnds = reply.timeEnds.map { $0 - loop.lead.seconds }
        return reply
    }
}
