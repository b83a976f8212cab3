// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageRuntime
import OffstageTransfers

/// The network in place of libcurl: requests take a while, break, and reach servers that remember the data they
/// received.
///
/// `@unchecked Sendable`: belongs to the simulation's single thread.
final class SimulatedNetwork: TransferEngine, @unchecked Sendable {
    private let world: SimulatedWorld
    private let servers: SimulatedServers
    private unowned var life: DaemonLifetime?
    private var running: [RequestKey: EngineRequest] = [:]

    init(_ world: SimulatedWorld, _ servers: SimulatedServers) {
        self.world = world
        self.servers = servers
    }

    func began(_ life: DaemonLifetime) { self.life = life }

    /// Handles the daemon's death: requests in transit may still arrive, and their outcome is lost.
    func cutOff() {
        for request in running.values.sorted(by: { $0.id < $1.id }) where world.chance(2) {
            _ = servers.answer(request, now: world.clock.wall)
        }
        running = [:]
        life = nil
    }

    /// Sends a request of an account.
    func exchange(_ request: TokenRequest) -> Result<TokenAnswer, TransferFailure> {
        if world.chance(20) { return .failure(.init(.connectionLost, "the network broke")) }
        return .success(servers.token(request, now: world.clock.wall))
    }

    // MARK: TransferEngine

    func start(_ requests: [EngineRequest]) {
        for request in requests {
            running[request.key] = request
            life?.after(0.01 + world.seconds(world.chance(20) ? 300 : 2)) { [self] in halfway(request) }
        }
    }

    func stop(_ key: RequestKey) {
        guard running.removeValue(forKey: key) != nil else { return }
        life?.after(0) { [self] in report(.released(key)) }
    }

    func setRateLimit(_ key: RequestKey, bytesPerSecond: Int64?) {}

    func setEnd(_ key: RequestKey, _ end: Int64) {}

    func shutDown() { running = [:] }

    private func report(_ event: EngineEvent) { life?.core.engineReported([event]) }

    private func halfway(_ request: EngineRequest) {
        guard running[request.key] != nil else { return }
        if world.chance(8) { return fail(request) }
        let length = request.body?.count ?? 0
        if length > 0, world.chance(2) {
            let done = request.offset + length / 2
            report(.progress([EngineProgress(key: request.key, bytesDone: done, bytesTotal: nil)]))
        }
        life?.after(world.seconds(1)) { [self] in finish(request) }
    }

    /// Breaks the connection before the server has answered; part of a download has arrived.
    private func fail(_ request: EngineRequest) {
        running[request.key] = nil
        var reached = request.offset
        if request.body == nil {
            let part = servers.part(of: request, upTo: world.seconds(1))
            if let receiving = part.receiving { report(receiving) }
            reached = part.reached
        }
        report(.ended(request.key, .failed(.init(.connectionLost, "the network broke")), reached: reached))
    }

    private func finish(_ request: EngineRequest) {
        guard running.removeValue(forKey: request.key) != nil else { return }
        if world.chance(30) {
            let busy = Answer(status: 503, headers: [HeaderField(name: "Retry-After", value: "3")])
            return report(.ended(request.key, .answered(busy), reached: request.offset))
        }
        let answer = servers.answer(request, now: world.clock.wall)
        // Everything has arrived, and the answer is lost.
        if request.body != nil, world.chance(8) { return fail(request) }
        if let receiving = answer.receiving { report(receiving) }
        report(.ended(request.key, answer.result, reached: answer.reached))
    }
}
