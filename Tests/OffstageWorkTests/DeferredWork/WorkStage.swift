// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageStore
import OffstageTestSupport
import OffstageWork

/// Deferred work as a daemon carries it out, with its own loop and store, and without apps, server or transfers.
final class WorkStage: Sendable {
    static let app = "org.example.app"

    let directory: TemporaryDirectory
    let world: AppWorld
    let center: TaskCenter
    /// What the store's file said of each task when its app was told, through a connection of its own.
    let phases = Monitor<[UInt64: TaskRecord.Phase]>([:])
    private let loop: EventLoop
    private let store: SQLiteStore
    private let hasLoopEnded = Monitor(false)

    /// - Parameters:
    ///   - other: the daemon before, which is cut off where it stands: whose store and apps it takes over.
    ///   - looksAtStore: whether `phases` is filled.
    /// - Throws: `TestError`, `StoreError`, `EventLoop.Refusal`.
    init(after other: WorkStage? = nil, looksAtStore: Bool = false) async throws {
        other?.cut()
        directory = try other?.directory ?? TemporaryDirectory()
        world = other?.world ?? AppWorld()
        let path = directory.path("store.sqlite")
        let store = try SQLiteStore.open(path: path).store
        self.store = store
        let loop = try EventLoop()
        self.loop = loop
        let phases = phases
        let apps = StandInApps(loop: loop, world: world) { number in
            guard looksAtStore else { return }
            try? store.forEachTask { record in
                if record.request.number == number { phases.withLock { $0[number] = record.phase } }
            }
        }
        let clock = SystemClock(lead: loop.lead)
        let log = Log { _ in }
        let center = try TaskCenter(
            loop: loop,
            queue: StandInTransfers(loop: loop),
            apps: apps,
            workers: WorkerPool(threads: 1),
            store: store,
            trouble: StoreTrouble(loop: loop, now: { clock.now() }, log: log),
            clock: clock,
            policy: TaskPolicy(),
            folder: directory.path,
            sources: .silent,
            lowDataMode: false,
            log: log
        )
        self.center = center
        let hasLoopEnded = hasLoopEnded
        try TestThread.start {
            loop.run()
            hasLoopEnded.withLock { $0 = true }
        }
        loop.post { center.assumeIsolated { $0.start() } }
        var ideal = PretendedConditions()
        (ideal.network, ideal.hasExternalPower, ideal.batteryCharge) = (.unmetered, true, 1)
        (ideal.isBusy, ideal.isDiskFull, ideal.isDataLow) = (false, false, false)
        _ = try await center.pretend(PretendConditions(pretended: ideal))
    }

    deinit { cut() }

    /// Ends the daemon at once: what is on its way to the store gets there or not, and nothing else is done.
    func cut() {
        if hasLoopEnded.withLock({ $0 }) { return }
        let loop = loop
        loop.post { loop.stop() }
        _ = hasLoopEnded.wait(TimeLimit(seconds: 20)) { $0 ? true : nil }
        store.close()
    }

    var facts: AppFacts {
        let identifiers = (0..<100).map { "task-\($0)" }
        return AppFacts(
            app: Self.app,
            process: ProcessIdentity(number: 1, startedAt: 1),
            executable: "/app",
            information: .init(backgroundModes: ["fetch", "processing"], permittedTaskIdentifiers: identifiers),
            launch: .init(arguments: [], workingDirectory: "/", environment: [:])
        )
    }

    /// Returns once the request is durable.
    func submit(_ identifier: String, after seconds: Double = 0) async throws {
        let draft = TaskDraft(
            identifier: identifier,
            kind: .processing,
            earliestBegin: seconds > 0 ? .now.addingTimeInterval(seconds) : nil
        )
        let reply = try await center.submit(SubmitTask(draft: draft), of: facts)
        if let refusal = reply.refusal { throw TestError(refusal.sentence) }
    }

    func rows() async throws -> [TaskRow] { try await center.list(ListTasks()).rows }

    /// What became of requests, oldest first.
    func history() async throws -> [TaskEntry] { try await center.list(ListTasks()).history.reversed() }

    @discardableResult
    func advance(by seconds: Double) async throws -> AdvanceTime.Reply {
        try await center.advance(AdvanceTime(seconds: seconds))
    }
}
