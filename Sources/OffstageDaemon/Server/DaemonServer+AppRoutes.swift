// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageTransfers

/// The requests about apps, and of apps on stage: decode, one call, encode.
extension DaemonServer {
    /// Nil for a request that is not about apps.
    func appRoute(_ frame: WireFrame, connection: UInt64) async throws -> RouteAnswer? {
        func answer(_ reply: some Encodable) throws -> RouteAnswer {
            RouteAnswer(payload: try WireCoding.encode(reply))
        }
        switch frame.name {
        case AttachApp.name: return try await attach(decode(AttachApp.self, frame), connection: connection)
        case ListApps.name:
            return try await list()
        case ShowApp.name: return try answer(try await apps.show(decode(ShowApp.self, frame)))
        case ReadAppStory.name: return try answer(try await apps.story(decode(ReadAppStory.self, frame)))
        case InstallApp.name: return try answer(try await apps.install(decode(InstallApp.self, frame)))
        case ActOnApp.name:
            return try answer(try await apps.act(decode(ActOnApp.self, frame), connection: connection))
        case SimulateMemoryPressure.name:
            await apps.simulateMemoryPressure()
            return try answer(Empty())
        default: return nil
        }
    }

    /// Ten thousand of them are nothing for the loop, and what they took is given back.
    private func list() async throws -> RouteAnswer {
        let rows = await apps.list()
        let workers = apps.workers
        let encoded = await workers.run {
            Result { try WireCoding.encode(ListApps.Reply(rows: rows.sorted { $0.id < $1.id })) }
        }
        if rows.count > 1000 {
            loop.startTask {
                // By then it has been sent.
                await loop.sleep(seconds: 1)
                workers.submit { offstage_trim_heap() }
            }
        }
        return RouteAnswer(payload: try encoded.get())
    }

    private func attach(_ request: AttachApp, connection: UInt64) async throws -> RouteAnswer {
        guard let peer = peer(of: connection) else {
            throw WireFailure(.badRequest, "The connection of this app has ended.")
        }
        try takeForApp(connection)
        var request = request
        request.view = request.view.shifted(by: loop.lead.seconds)
        var reply = try await apps.attach(
            request,
            connection: connection,
            process: peer.process,
            pidfd: peer.pidfd
        )
        reply.timeEnds = reply.timeEnds.map { $0 - loop.lead.seconds }
        let apps = apps
        return RouteAnswer(payload: try WireCoding.encode(reply)) {
            apps.assumeIsolated { $0.answered(connection) }
        }
    }
}
