// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageFiles
package import OffstageRuntime
package import OffstageStore
package import OffstageTestSupport

/// What every engine stands on, for a test of one engine alone: a loop in virtual time, a store whose file lies in
/// memory, and a log that can be read. There is no server, no process and no thread, and nobody waits.
///
/// `@unchecked Sendable`: belongs to the test's one thread, on which the loop runs whenever the test says so.
package final class EngineStage: @unchecked Sendable {
    private let virtual: VirtualClock
    /// Seconds from the beginning of the first stage to that of this one.
    private let began: Double
    package let loop: EventLoop
    package let clock: SystemClock
    package let directory: TemporaryDirectory
    package let paths: OffstagePaths
    package let opened: SQLiteStore.Opened
    package let log: Log
    package let trouble: StoreTrouble
    /// Does its work on the loop, in later turns.
    package let workers: WorkerPool
    /// No crashes, unless a test says otherwise before an engine is made.
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

    /// A machine whose daemon starts for the first time.
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

    /// Runs something on the loop until it has returned, while as much time passes as it waits for.
    ///
    /// - Throws: what it throws; `TestError` if it would wait for ever.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let outcome = Monitor<Result<Value, any Error>?>(nil)
        begin(body) { result in outcome.withLock { $0 = result } }
        _ = loop.runVirtually { outcome.withLock { $0 != nil } || isCut }
        guard let result = outcome.withLock({ $0 }) else {
            throw TestError(isCut ? "The machine was cut off before it returned" : "Nothing it waits for will come")
        }
        return try result.get()
    }

    /// Begins something on the loop, without waiting for it, and lets it come as far as it does now.
    ///
    /// - Returns: what has come of it so far.
    package func begin<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Begun<Value> {
        defer { settle() }
        return beginLater(body)
    }

    /// Has something begun on the loop when that runs next: for several that come at the same moment.
    ///
    /// - Returns: what has come of it so far.
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

    /// Lets so many seconds pass, with all that is due until then.
    package func advance(by seconds: Double) {
        let isOver = Monitor(false)
        let loop = loop
        loop.post {
            loop.startTask {
                await loop.sleep(seconds: seconds)  // in virtual time
                // What is due at the same moment comes about, too.
                await loop.sleep(seconds: 0)  // in virtual time
                isOver.withLock { $0 = true }
            }
        }
        _ = loop.runVirtually { isOver.withLock { $0 } || isCut }
    }

    /// Does all there is to do now. No more than some microseconds pass.
    package func settle() { advance(by: 0) }

    // MARK: The end

    /// Has something done when the stage is taken apart, such as `shutDown` of an engine.
    package func atEnd(_ body: @escaping @Sendable () async -> Void) { endings.append(body) }

    /// Whether the machine has been cut off at a step of the store.
    package var isCut: Bool { disk.isCut }

    /// Cuts the daemon off here: what has not been committed is lost, and nobody is told of anything any more.
    ///
    /// The engines are taken apart then, with no effect on the store, so that none of them is left waiting.
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

    /// Beyond this nobody tries again what cannot be written any more.
    private static let mostSecondsToEnd = 3600.0

    /// Cuts the daemon off, and starts the next one over the same files, at the moment of the cut.
    ///
    /// - Parameters:
    ///   - seconds: for how long there was none.
    ///   - isReboot: whether the machine was started anew in the meantime, and its boot-time clock with it.
    /// - Returns: what that daemon stands on.
    /// - Throws: as `init`.
    package func next(after seconds: Double = 0, isReboot: Bool = false) throws -> EngineStage {
        // Taking it apart lets time pass, which is no time of the machine's.
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
