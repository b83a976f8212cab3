// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageRuntime
import OffstageStore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// A queue with the daemon's own loop, store and engine, and a log of its reports on sessions' tasks.
final class QueueHarness: Sendable {
    let directory: TemporaryDirectory
    let queue: TransferQueue
    private let loop: EventLoop
    private let engine: CurlEngine
    private let store: SQLiteStore
    private let ended = Monitor<[Transfer]>([])
    private let progress = Monitor<[SessionTaskKey: Int64]>([:])
    private let hasLoopEnded = Monitor(false)

    /// Uses `folder` for its files, or its own folder. Every commit takes `commitDelay` seconds longer. `prepare` puts
    /// files there before the queue begins, `seenThrough` wraps the store that the queue sees, and `surroundings`
    /// changes the queue's view of the machine. `whenEnded` is called on the loop with the number of ends so far,
    /// before the queue does anything else.
    init(
        settings: Settings = Settings(),
        in folder: TemporaryDirectory? = nil,
        commitDelay: Double = 0,
        prepare: (TemporaryDirectory) throws -> Void = { _ in },
        seenThrough: (SQLiteStore) -> any SessionStore = { $0 },
        surroundings: (inout TransferQueue.Environment) -> Void = { _ in },
        whenEnded: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        directory = try folder ?? TemporaryDirectory()
        try prepare(directory)
        let path = directory.path
        let opened = try SQLiteStore.open(path: directory.path("store.sqlite"), commitDelay: commitDelay)
        let loop = try EventLoop()
        var environment = Self.environment()
        surroundings(&environment)
        var restored = RestoredTransfers(settings: settings, now: environment.now())
        try opened.store.forEachUnfinished { restored.add($0) }
        let queue = TransferQueue(
            loop: loop,
            store: seenThrough(opened.store),
            trouble: StoreTrouble(loop: loop, now: environment.now, log: Log { _ in }),
            environment: environment,
            settings: settings,
            places: TransferPlaces(
                storeToken: opened.storeToken,
                snapshots: directory.path("snapshots"),
                resumable: directory.path("resumable"),
                responses: { _ in path }
            ),
            nextID: opened.nextID,
            restored: restored
        )
        // The queue holds the engine.
        engine = try CurlEngine { [weak queue] events in
            guard let queue else { return }
            loop.post { queue.assumeIsolated { $0.engineReported(events) } }
        }
        (store, self.loop, self.queue) = (opened.store, loop, queue)
        try begin(whenEnded)
    }

    deinit {
        let (loop, queue) = (loop, queue)
        loop.post {
            loop.startTask {
                await queue.shutDown()
                loop.stop()
            }
        }
        _ = hasLoopEnded.wait(TimeLimit(seconds: 20)) { $0 ? true : nil }
        store.close()
    }

    private static func environment() -> TransferQueue.Environment {
        TransferQueue.Environment(
            now: {
                var time = timespec()
                clock_gettime(CLOCK_BOOTTIME, &time)
                let uptime = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
                return Moment(wall: Date(), bootID: "boot", uptime: uptime)
            },
            networkProblem: { _ in nil },
            jitter: { 0 },
            runCommand: { _, _, _ in },
            log: Log { _ in },
            readCommand: { _, _ in nil }
        )
    }

    private func begin(_ whenEnded: @escaping @Sendable (Int) -> Void) throws {
        let (loop, queue, engine, ended, progress) = (loop, queue, engine, ended, progress)
        let hasLoopEnded = hasLoopEnded
        try TestThread.start {
            loop.post {
                queue.assumeIsolated { queue in
                    queue.setSessionSink { notice in
                        switch notice {
                        case .progress(let list):
                            progress.withLock { for item in list { $0[item.key] = item.bytesDone } }
                        case .ended(let transfer):
                            let count = ended.withLock {
                                $0.append(transfer)
                                return $0.count
                            }
                            whenEnded(count)
                        case .question, .taken, .acknowledged: break
                        }
                    }
                    queue.begin(with: engine)
                }
            }
            loop.run()
            hasLoopEnded.withLock { $0 = true }
        }
    }

    /// Hands a session's download over.
    func download(
        _ url: String,
        task: Int,
        _ change: (inout TransferSpec) -> Void = { _ in }
    ) async throws -> TransferID {
        let target = TransferSpec.DownloadTarget(path: directory.path("task-\(task)"))
        var spec = TransferSpec(direction: .download(target), url: try RequestURL(url), owner: "app")
        spec.sessionTask = SessionTaskKey(session: "s", task: task)
        // A server may stall for as long as the test wants.
        spec.idleTimeout = 3600
        change(&spec)
        return try #require(try await queue.submit([spec]).first)
    }

    /// Waits until a transfer's end could be reported to its delegate.
    func end(of id: TransferID, within seconds: Double = 20) throws -> Transfer {
        let found = ended.wait(TimeLimit(seconds: seconds)) { $0.first { $0.id == id } }
        guard let found else { throw TestError("Waited \(seconds) s in vain for the end of transfer \(id).") }
        return found
    }

    /// Waits until a task's progress is beyond a byte.
    func waitForProgress(ofTask task: Int, beyond byte: Int64) throws {
        let key = SessionTaskKey(session: "s", task: task)
        let found = progress.wait(TimeLimit(seconds: 20)) { ($0[key] ?? 0) > byte ? true : nil }
        guard found == true else { throw TestError("Task \(task) did not get beyond byte \(byte).") }
    }

    /// Runs `body` on the queue's loop, and returns when it is done.
    func onLoop(_ body: @escaping @Sendable (isolated TransferQueue) -> Void) {
        let queue = queue
        let isDone = Monitor(false)
        loop.post {
            queue.assumeIsolated { body($0) }
            isDone.withLock { $0 = true }
        }
        _ = isDone.wait(TimeLimit(seconds: 60)) { $0 ? true : nil }
    }

    /// Starts `body` as a task of the daemon's loop: a waiting test holds up the pool that its own tasks run on.
    func start(_ body: @escaping @Sendable () async throws -> Void) {
        let loop = loop
        loop.post { loop.startTask { try? await body() } }
    }

    /// The numbers of a session's tasks in the store.
    func tasks(of session: String, app: String) async throws -> [Int] {
        try await store.sessionTasks(session, of: app, after: 0, limit: 1000).map(\.task)
    }

    /// The names of the kept files.
    var keptFiles: [String] { TestFiles.names(in: directory.path("resumable")) }

    /// Waits until no partial file is left.
    func waitUntilTidy() throws {
        try eventually("no partial file is left") {
            TestFiles.names(in: directory.path).contains { $0.hasSuffix(".part") } ? nil : true
        }
    }
}
