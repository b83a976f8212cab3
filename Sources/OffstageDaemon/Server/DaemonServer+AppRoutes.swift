// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The requests about apps, and of apps on stage: decode, one call, encode.
extension DaemonServer {
    /// Nil for a request that is not about apps.
    func appRoute(_ frame: WireFrame, connection: UInt64) async throws -> RouteAnswer? {
        func decode<Request: WireRequest>(_ type: Request.Type) throws -> Request {
            try WireCoding.decode(type, from: frame.payload)
        }
        func answer(_ reply: some Encodable) throws -> RouteAnswer {
            RouteAnswer(payload: try WireCoding.encode(reply))
        }
        switch frame.name {
        case AttachApp.name: return try await attach(decode(AttachApp.self), connection: connection)
        case ListApps.name:
            let rows = await apps.list()
            // Ten thousand of them are nothing for the loop.
            let encoded = await apps.workers.run { Result { try WireCoding.encode(ListApps.Reply(rows: rows)) } }
            return RouteAnswer(payload: try encoded.get())
        case ShowApp.name: return try answer(try await apps.show(decode(ShowApp.self)))
        case ReadAppStory.name: return try answer(try await apps.story(decode(ReadAppStory.self)))
        case InstallApp.name: return try answer(try await apps.install(decode(InstallApp.self)))
        case ActOnApp.name:
            return try answer(try await apps.act(decode(ActOnApp.self), connection: connection))
        case SimulateMemoryPressure.name:
            await apps.simulateMemoryPressure()
            return try answer(Empty())
        default: return nil
        }
    }

    private func attach(_ request: AttachApp, connection: UInt64) async throws -> RouteAnswer {
        guard let peer = peer(of: connection) else {
            throw WireFailure(.badRequest, "The connection of this app has ended.")
        }
        let reply = try await apps.attach(
            request,
            connection: connection,
            process: peer.process,
            pidfd: peer.pidfd
        )
        let apps = apps
        return RouteAnswer(payload: try WireCoding.encode(reply)) {
            apps.assumeIsolated { $0.answered(connection) }
        }
    }
}
