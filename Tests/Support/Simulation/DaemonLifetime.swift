// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageDaemon
import OffstageHost
import OffstageRuntime
import OffstageStore

/// One daemon of the simulated world, from its start to the instruction at which it is cut off.
///
/// Once cut off, it commits nothing more and sends nothing more: clients lose their connections and the network its
/// requests. It is then torn down in an orderly way, with no effect, so that the next daemon finds the memory and the
/// descriptors free.
///
/// `@unchecked Sendable`: belongs to the simulation's single thread.
package final class DaemonLifetime: @unchecked Sendable {
    /// Where it is cut off.
    package struct Cut: Sendable {
        /// The number of its commit, counted from 1.
        package var commit: Int
        /// Whether that commit is durable but no client has been notified.
        package var isAfter: Bool
    }

    let world: SimulatedWorld
    let loop: EventLoop
    let core: DaemonCore
    private let store: SQLiteStore
    private let listener: Int32
    private(set) var isAlive = true
    private var clients: [SimulatedClient] = []
    private var commits: Counter
    private let cut: Cut?

    private final class Counter: @unchecked Sendable {
        var count = 0
        var cut: () -> Void = {}
        var isAlive = true
    }

    init(_ world: SimulatedWorld, cut: Cut?) throws {
        self.world = world
        self.cut = cut
        let loop = try EventLoop(clock: .virtual(world.clock))
        self.loop = loop
        let commits = Counter()
        self.commits = commits
        let opened = try SQLiteStore.open(
            path: world.paths.store,
            service: .loop(
                VirtualStoreService(
                    loop: loop,
                    latency: { world.chance(3) ? world.seconds(0.03) : 0 },
                    survives: { Self.survives($0, commits, cut) }
                )
            )
        )
        store = opened.store
        for notice in opened.notices { world.problem("the store: \(notice)") }
        listener = offstage_eventfd()
        core = try DaemonCore(
            DaemonCore.Parts(
                loop: loop,
                paths: world.paths,
                settings: world.settings,
                opened: opened,
                crashes: CrashMemory(),
                machine: world.machine,
                log: Log { world.daemonSaid($0.text) }
            ),
            at: DaemonCore.Place(listener: listener, startedBy: "simulation", socketPath: { "" }, requestStop: {})
        )
        commits.cut = { [weak self] in self?.die() }
    }

    private static func survives(_ step: VirtualStoreService.Step, _ commits: Counter, _ cut: Cut?) -> Bool {
        guard commits.isAlive else { return false }
        switch step {
        case .read: return true
        case .commit:
            commits.count += 1
            if let cut, !cut.isAfter, commits.count == cut.commit { commits.cut() }
        case .committed: if let cut, cut.isAfter, commits.count == cut.commit { commits.cut() }
        }
        return commits.isAlive
    }

    func add(_ client: SimulatedClient) { clients.append(client) }

    /// Runs `body` after so many seconds, unless the daemon is cut off first.
    func after(_ seconds: Double, _ body: @escaping () -> Void) {
        // Everything here runs on the simulation's single thread.
        nonisolated(unsafe) let body = body
        loop.startTask { [self] in
            await loop.sleep(seconds: seconds)  // in virtual time
            if isAlive { body() }
        }
    }

    /// Runs until it is cut off, or until `isOver`.
    ///
    /// - Returns: whether it was cut off.
    func run(until isOver: () -> Bool) -> Bool {
        loop.post { [self] in
            core.begin(with: world.network)
            world.began(self)
        }
        _ = loop.runVirtually { !isAlive || isOver() }
        return !isAlive
    }

    /// Cuts the daemon off here.
    func die() {
        guard isAlive else { return }
        isAlive = false
        commits.isAlive = false
        for client in clients { client.daemonDied() }
        clients = []
        world.cutOff()
    }

    /// Tears down the rest of the daemon.
    func takeApart() {
        die()
        loop.post { [self] in core.shutDown() }
        let before = world.clock.elapsed
        // Engines retry failed writes for a while.
        if !loop.runVirtually(until: { world.clock.elapsed > before + 3600 }) {
            world.problem("a daemon that was cut off does not come to rest")
        }
        loop.drain()
        store.close()
        Glibc.close(listener)
    }
}
