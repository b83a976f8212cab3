// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageRuntime
import OffstageStore
import OffstageTestSupport
import OffstageTransfers

/// The line of transfers without engine and server: records which transfers are given a slot.
final class TurnsStage: Sendable {
    let registry: TransferRegistry
    let turns: TransferTurns
    /// The transfers that were given a slot, in order.
    let begun = Monitor<[Int64]>([])
    /// Hosts that cannot be reached.
    let unreachable = Monitor<Set<String>>([])
    /// How often a host's reachability was checked.
    let looks = Monitor(0)
    private let loop: EventLoop
    private let store: SQLiteStore
    private let directory: TemporaryDirectory

    static let now = Moment(wall: Date(timeIntervalSince1970: 1_777_630_000), bootID: "boot", uptime: 100)

    init(settings: Settings = Settings(), crashes: CrashMemory = CrashMemory()) throws {
        directory = try TemporaryDirectory()
        store = try SQLiteStore.open(path: directory.path("store.sqlite")).store
        loop = try EventLoop()
        registry = TransferRegistry(
            loop: loop,
            store: store,
            trouble: StoreTrouble(loop: loop, now: { Self.now }, log: Log { _ in }),
            crashes: crashes,
            schedule: TransferSchedule(
                limits: .init(perHost: settings.connectionsPerHost, total: settings.maximumRunning)
            ),
            now: { Self.now }
        )
        let (unreachable, looks) = (unreachable, looks)
        turns = TransferTurns(registry, limits: TransferLimits(settings)) { host in
            looks.withLock { $0 += 1 }
            return unreachable.withLock { $0.contains(host) } ? .noRoute : nil
        }
    }

    deinit { store.close() }

    /// Runs a scene on the loop, and returns when it is over. Call it once per stage.
    func play(_ scene: @escaping @Sendable (TurnsStage) async -> Void) {
        loop.post {
            self.loop.startTask {
                await scene(self)
                // No sleeper stays behind.
                self.loop.advance(by: 3600)
                await self.turnIsOver()
                self.loop.stop()
            }
        }
        loop.run()
    }

    /// Returns when everything started so far has run.
    func turnIsOver() async {
        for _ in 0..<3 { await loop.startTask {}.value }
    }

    /// Assigns slots, and returns the transfers that have been given one so far.
    func fill() async -> [Int64] {
        turns.fill()
        await turnIsOver()
        return begun.withLock { $0 }
    }

    /// Starts assigning slots.
    func start() {
        let begun = begun
        turns.start { id in begun.withLock { $0.append(id.rawValue) } }
    }

    /// Hands over transfers that are downloads from `host`.
    func lineUp(_ numbers: ClosedRange<Int64>, host: String = "a.example") {
        for number in numbers {
            guard let transfer = try? Self.transfer(number, host: host) else { continue }
            registry.keep(transfer)
            turns.lineUp(transfer)
        }
    }

    static func transfer(
        _ number: Int64,
        host: String = "a.example",
        _ change: (inout TransferSpec) -> Void = { _ in }
    ) throws -> Transfer {
        let url = try RequestURL("http://\(host)/\(number)")
        var spec = TransferSpec(direction: .download(.init(path: "/tmp/\(number)")), url: url, owner: "command")
        change(&spec)
        return Transfer(id: TransferID(rawValue: number), spec: spec, now: now)
    }
}
