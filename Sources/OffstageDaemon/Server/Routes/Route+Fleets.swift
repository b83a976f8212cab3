// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTransfers

extension Route {
    /// The requests from members of fleets.
    static let ofFleets = [
        Route(
            AttachKeeper.self,
            "from now on this connection keeps the memory of a fleet's transfers: it receives a `keep` event before each request that depends on one",
            doing: { server, request, connection in
                try TransferKeeper.validate(fleet: request.fleet)
                try await server.attachKeeper(of: request.fleet, connection)
            }
        ),
        Route(
            AnswerKeep.self,
            "says of up to 1000 memories whether they are kept; if not, the attempt ends, and the transfer waits",
            doing: { server, request, connection in
                try request.validate()
                let answers = request.answers.map { (number: $0.number, isKept: $0.isKept) }
                try await server.queue.keeperAnswered(answers, connection)
            }
        ),
        Route(
            SetFleetPolicy.self,
            "sets a fleet's rules for this machine's transfers until the daemon ends: rate, most at a time, hours, metered networks, pause",
            doing: { server, request, _ in
                try request.validate()
                let label = FleetText(request.label ?? request.fleet, longest: 64).description
                try await server.queue.setPolicies(request.policies, of: request.fleet, label: label)
            }
        ),
    ]
}

extension DaemonServer {
    fileprivate func attachKeeper(of fleet: String, _ id: UInt64) async throws {
        guard connections[id] != nil else { return }
        let ask: @Sendable (MemoryToKeep) -> Void = { [weak self] order in
            self?.assumeIsolated { $0.sendEvent(order, named: MemoryToKeep.name, to: id) }
        }
        await queue.attachKeeper(of: fleet, id, ask: ask)
    }
}
