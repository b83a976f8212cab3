// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageFiles
package import OffstageRuntime
package import OffstageStore
package import OffstageTestSupport

/// The environment of an engine, for a test of one engine alone: a loop in virtual time, a store whose file is in
/// memory, and a log that can be read. There is no server, no process and no thread, and no real waiting.
///
/// `@unchecked Sendable`: belongs to the test's single thread, on which the loop runs on demand.
package final class EngineStage: @unchecked Sendable {
    private let virtual: VirtualClock
    /// Seconds from the start of the first stage to the start of this one.
    private let began: Double
    package let loop: EventLoop
    package let clock: SystemClock
    package let directory: TemporaryDirectory
    package let paths: OffstagePaths
    package let opened: SQLiteStore.Opened
    package let log: Log
    package let trouble: StoreTrouble
    /// Runs its work on the loop, in later turns.
    package let workers: WorkerPool
    /// No crashes, unless a test sets it before creating an engine.
    package var crashes: CrashMemory
    /// The disk under the store.
    package let disk: StageDisk
    private let written = Monitor<[LogRecord]>([])
    private var endings: [@Sendable () async -> Void] = []
    private var isOver = false

    package var store: SQLiteStore { opened.store }
    /// The log so far.
    package var records: [LogRecord] { written.withLock { $0 } }
    /// Seconds since the first stage began.
    package var elapsed: Double { began + virtual.elapsed }

    /// Creates a machine whose daemon starts for the first time.
    ///
    /// - Throws: `TestError`, `StoreError`, `EventLoop.Refusal`, `SettingsError`, `PrivateFolder.Failure`.
    package convenience init() throws {
        try self.init(VirtualClock(), began: 0, in: TemporaryDirectory(isInMemory: true))
    }

    private init(_ virtual: VirtualClock, began: Double, in directory: TemporaryDirectory) throws {
        self.virtual = virtual
        self.began = began
        self.directory = directory
        paths = try OffstagePaths(environment: ["OFFSTAGE_HOME": directory.path])
        for folder in [paths.journals, paths.downloads, paths.snapshots, paths.resumable] {
            try PrivateFolder.make(folder)
        }
        let loop = try EventLoop(clock: .virtual(virtual))
        let clock = SystemClock(of: loop)
        (self.loop, self.clock) = (loop, clock)
        let disk = StageDisk(path: paths.store)
        self.disk = disk
        opened = try SQLiteStore.open(
            path: paths.store,
            service: .loop(
                VirtualStoreService(
                    loop: loop,
                    latency: { disk.latency },
                    survives: { disk.survives($0) },
                    refusal: { disk.refusal(of: $0) }
                )
            )
        )
        let written = written
        log = Log { record in written.withLock { $0.append(record) } }
        trouble = StoreTrouble(loop: loop, now: { clock.now() }, log: log)
        workers = WorkerPool(threads: 1, on: loop)
        crashes = CrashMemory()
    }

    deinit { cutOff() }

    // MARK: Running

    /// Runs `body` on the loop until it returns, advancing time by as much as it waits for.
    ///
    /// - Throws: the error that it throws; `TestError` if it would wait forever.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let outcome = Monitor<Result<Value, any Error>?>(nil)
        begin(body) { result in outcome.withLock { $0 = result } }
        _ = loop.runVirtually { outcome.withLock { $0 != nil } || isCut }
        guard let result = outcome.withLock({ $0 }) else {
            throw TestError(isCut ? "The machine was cut off before it returned" : "Nothing it waits for will come")
        }
        return try result.get()
    }

    /// Starts `body` on the loop without waiting for it, and lets it run as far as it can now.
    ///
    /// - Returns: its outcome so far.
    package func begin<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Begun<Value> {
        defer { settle() }
        return beginLater(body)
    }

    /// Starts `body` when the loop runs next, for several that begin at the same moment.
    ///
    /// - Returns: its outcome so far.
    package func beginLater<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Begun<Value> {
        let begun = Begun<Value>()
        begin(body) { result in begun.outcome.withLock { $0 = result } }
        return begun
    }

    private func begin<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value,
        _ returned: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let loop = loop
        loop.post {
            loop.startTask {
                do { returned(.success(try await body())) } catch { returned(.failure(error)) }
            }
        }
    }

    /// Advances time by so many seconds, running everything that is due by then.
    package func advance(by seconds: Double) {
        let isOver = Monitor(false)
        let loop = loop
        loop.post {
            loop.startTask {
                await loop.sleep(seconds: seconds)  // in virtual time
                // Also runs the work that is due at the same moment.
                await loop.sleep(seconds: 0)  // in virtual time
                isOver.withLock { $0 = true }
            }
        }
        _ = loop.runVirtually { isOver.withLock { $0 } || isCut }
    }

    /// Runs everything that can run now. No more than a few microseconds pass.
    package func settle() { advance(by: 0) }

    // MARK: The end

    /// Runs `body` when the stage is torn down, such as an engine's `shutDown`.
    package func atEnd(_ body: @escaping @Sendable () async -> Void) { endings.append(body) }

    /// Whether the machine has been cut off at a step of the store.
    package var isCut: Bool { disk.isCut }

    /// Cuts the daemon off here: uncommitted changes are lost, and no client is notified of anything more.
    ///
    /// The engines are then torn down, with no effect on the store, so that none is left waiting.
    package func cutOff() {
        guard !isOver else { return }
        isOver = true
        disk.cutOff()
        let loop = loop
        let left = Monitor(endings.count)
        for ending in endings {
            loop.post {
                loop.startTask {
                    await ending()
                    left.withLock { $0 -= 1 }
                }
            }
        }
        let last = virtual.elapsed + Self.mostSecondsToEnd
        _ = loop.runVirtually { left.withLock { $0 == 0 } || virtual.elapsed > last }
        loop.drain()
        store.close()
        endings = []
    }

    /// After this time, no engine retries a failed write any more.
    private static let mostSecondsToEnd = 3600.0

    /// Cuts the daemon off, and starts the next one on the same files, at the time of the cut.
    ///
    /// - Parameters:
    ///   - seconds: how long no daemon ran.
    ///   - isReboot: whether the machine was rebooted in the meantime, which resets its boot-time clock.
    /// - Returns: the stage of the next daemon.
    /// - Throws: the same errors as `init`.
    package func next(after seconds: Double = 0, isReboot: Bool = false) throws -> EngineStage {
        // Tearing it down takes time that does not pass on the machine.
        let (uptime, wall, elapsed) = (clock.now().uptime, virtual.wall, elapsed)
        let boot = virtual.bootID
        cutOff()
        let clock = VirtualClock(
            uptime: isReboot ? 10 : uptime + seconds,
            wall: wall + seconds,
            bootID: isReboot ? boot + "+" : boot
        )
        return try EngineStage(clock, began: elapsed + seconds, in: directory)
    }
}
