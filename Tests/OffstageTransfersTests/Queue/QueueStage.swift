// SPDX-License-Identifier: Apache-2.0
import EngineTestSupport
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageStore
import OffstageTestSupport
import OffstageTransfers

/// The engine of transfers in virtual time, over a scripted network.
///
/// `@unchecked Sendable`: belongs to the test's single thread.
final class QueueStage: @unchecked Sendable {
    static let app = "org.example.app"

    let engine: EngineStage
    let network: ScriptedEngine
    let queue: TransferQueue
    /// Whether the machine has a network.
    let hasNetwork: Monitor<Bool>
    /// The reported ends of sessions' tasks, in order.
    private(set) var ended: [Transfer] = []
    /// The reported numbers of unfinished tasks, in order.
    private(set) var taken: [[SessionName: Int]] = []

    /// - Parameters:
    ///   - settings: the daemon's settings.
    ///   - helper: the credential helper's output, if the settings name one; nil if it fails.
    /// - Throws: the same errors as `EngineStage`.
    convenience init(_ settings: Settings = Settings(), helper: @escaping @Sendable () -> String? = { nil }) throws {
        try self.init(EngineStage(), settings, helper)
    }

    private init(_ engine: EngineStage, _ settings: Settings, _ helper: @escaping @Sendable () -> String?) throws {
        self.engine = engine
        let (loop, clock, paths) = (engine.loop, engine.clock, engine.paths)
        let hasNetwork = Monitor(true)
        self.hasNetwork = hasNetwork
        var restored = RestoredTransfers(settings: settings, crashes: engine.crashes, now: clock.now())
        try engine.store.forEachUnfinished { restored.add($0) }
        let queue = TransferQueue(
            loop: loop,
            store: engine.store,
            trouble: engine.trouble,
            environment: TransferQueue.Environment(
                now: { clock.now() },
                networkProblem: { _ in hasNetwork.withLock { $0 } ? nil : .noLink },
                jitter: { 1 },
                runCommand: { _, _, _ in },
                log: engine.log,
                readCommand: { _, _ in helper() }
            ),
            settings: settings,
            places: TransferPlaces(
                storeToken: engine.opened.storeToken,
                snapshots: paths.snapshots,
                resumable: paths.resumable,
                responses: { paths.downloads + "/" + $0 }
            ),
            nextID: engine.opened.nextID,
            restored: restored,
            crashes: engine.crashes
        )
        self.queue = queue
        let disk = engine.disk
        let network = ScriptedEngine(loop: loop) { events in
            // A daemon that was cut off receives no events.
            if !disk.isCut { queue.assumeIsolated { $0.engineReported(events) } }
        }
        self.network = network
        let receive: @Sendable (SessionNotice) -> Void = { [weak self] notice in
            switch notice {
            case .ended(let transfer): self?.ended.append(transfer)
            case .taken(let counts): self?.taken.append(counts)
            case .progress, .question, .acknowledged: break
            }
        }
        loop.post {
            queue.assumeIsolated { queue in
                queue.setSessionSink(receive)
                queue.begin(with: network)
            }
        }
        engine.atEnd { await queue.shutDown() }
        engine.settle()
    }

    /// Cuts this daemon off where it is, and starts the next one with its store and files.
    func next(after seconds: Double = 0, isReboot: Bool = false) throws -> QueueStage {
        try QueueStage(engine.next(after: seconds, isReboot: isReboot), Settings()) { nil }
    }

    // MARK: What is handed over

    func target(_ name: String) -> String { engine.directory.path(name) }

    /// A download as the command hands it over.
    func download(
        _ name: String,
        from url: String = "https://example.com/",
        _ change: (inout TransferSpec) -> Void = { _ in }
    ) throws -> TransferSpec {
        var spec = TransferSpec(
            direction: .download(.init(path: target(name))),
            url: try RequestURL(url + name),
            owner: "command"
        )
        spec.statusPolicy = .retryTransientAndFailOnError
        change(&spec)
        return spec
    }

    /// An upload of a new file.
    func upload(_ name: String, length: Int) throws -> TransferSpec {
        try TestFiles.makeRandom(target(name), bytes: length, seed: 1)
        var status = stat()
        guard stat(target(name), &status) == 0 else { throw TestError.system("look at \(name)") }
        let identity = FileIdentity(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        )
        var spec = TransferSpec(
            direction: .upload(.init(path: target(name), identity: identity)),
            url: try RequestURL("https://example.com/" + name),
            owner: "command"
        )
        spec.statusPolicy = .retryTransientAndFailOnError
        return spec
    }

    func submit(_ specs: TransferSpec...) throws -> [TransferID] {
        let queue = queue
        let ids = try engine.run { try await queue.submit(specs) }
        engine.settle()
        return ids
    }

    /// Creates an app's journal, as sessions do.
    func makeJournal(_ name: String = "a.journal") throws {
        let store = engine.store
        try engine.run { try await store.commit([.insertJournal(name: name, owner: Self.app)]) }
    }

    /// A batch of an app's journal.
    func batch(_ tasks: ClosedRange<Int>, sequence: UInt64, journal: String = "a.journal") throws -> HandOverBatch {
        var batch = HandOverBatch(app: Self.app, journal: journal, sequence: sequence)
        for task in tasks {
            var spec = TransferSpec(
                direction: .download(.init(path: target("task-\(task)"))),
                url: try RequestURL("https://example.com/\(task)"),
                owner: Self.app
            )
            spec.sessionTask = SessionTaskKey(session: "s", task: task)
            batch.tasks.append(.init(spec: spec, json: try WireCoding.encode(spec)))
        }
        return batch
    }

    /// Runs `body` with the queue, and everything that follows from it now.
    func perform(_ body: @escaping @Sendable (isolated TransferQueue) -> Void) {
        let queue = queue
        engine.loop.post { queue.assumeIsolated { body($0) } }
        engine.settle()
    }

    // MARK: What a test sees

    /// The transfer as stored.
    func stored(_ id: TransferID) throws -> Transfer {
        let store = engine.store
        guard let transfer = try engine.run({ try await store.transfers([id]).first }) else {
            throw TestError("There is no transfer \(id)")
        }
        return transfer
    }

    func transferCount() throws -> Int {
        let store = engine.store
        return try engine.run { try await store.page(TransferQuery(limit: 10_000)).transfers.count }
    }

    /// Why the transfer is not running now.
    func reason(of id: TransferID) throws -> Reason.Cause? {
        let queue = queue
        return try engine.run { await queue.snapshots([id]).first?.reason.cause }
    }
}
