// SPDX-License-Identifier: Apache-2.0
import EngineTestSupport
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageSessions
import OffstageStore
import OffstageTestSupport

/// Background sessions as a daemon carries them out, with its own store and journals, in virtual time, without server
/// or apps; transfers are not carried out.
///
/// `@unchecked Sendable`: belongs to the test's one thread.
final class SessionStage: @unchecked Sendable {
    static let app = "org.example.app"

    /// The state that outlives a daemon.
    final class World: @unchecked Sendable {
        /// The numbers of ended processes.
        var ended: Set<Int32> = []
        /// The apps of processes that do not belong to the usual app.
        var apps: [Int32: String] = [:]
    }

    let engine: EngineStage
    let world: World
    let center: SessionCenter
    let queue: StandInQueue
    private(set) var events: [SessionEvent] = []
    /// The notices to the app's life cycle.
    private(set) var notices: [AppNotice] = []
    /// Connections on which the daemon has hung up.
    private(set) var hungUp: [UInt64] = []

    /// - Throws: as `EngineStage`.
    convenience init() throws { try self.init(EngineStage(), World()) }

    private init(_ engine: EngineStage, _ world: World) throws {
        (self.engine, self.world) = (engine, world)
        let loop = engine.loop
        let queue = StandInQueue(engine)
        self.queue = queue
        // Connection n belongs to process n of the one app.
        let peers = PeerReader(
            identify: { process, _ in
                PeerIdentity(
                    app: world.apps[process] ?? Self.app,
                    process: ProcessIdentity(number: process, startedAt: 1)
                )
            },
            hasEnded: { world.ended.contains($0.number) }
        )
        let center = SessionCenter(
            loop: loop,
            queue: queue,
            store: engine.store,
            trouble: engine.trouble,
            workers: engine.workers,
            accounts: StandInAccounts(),
            peers: peers,
            paths: engine.paths,
            clock: engine.clock,
            crashes: engine.crashes,
            log: engine.log
        )
        self.center = center
        let send: @Sendable (SessionEvent, UInt64) -> Void = { [weak self] event, _ in self?.events.append(event) }
        let hangUp: @Sendable (UInt64) -> Void = { [weak self] connection in self?.hungUp.append(connection) }
        let notify: @Sendable (AppNotice) -> Void = { [weak self] notice in self?.notices.append(notice) }
        loop.post {
            queue.assumeIsolated { $0.setSink { notice in center.assumeIsolated { $0.receive(notice) } } }
            center.assumeIsolated { center in
                center.setServer(send: send, hangUp: hangUp)
                center.setAppSink(notify)
                center.start()
            }
        }
        engine.atEnd {
            await queue.stop()
            await center.shutDown()
        }
    }

    /// The next daemon, with the store and the journals of this one, which is cut off at this point.
    ///
    /// - Parameters:
    ///   - seconds: how long there was no daemon.
    ///   - prepare: the differences at its start.
    /// - Returns: that daemon.
    /// - Throws: as `EngineStage`.
    func next(after seconds: Double = 0, prepare: (EngineStage) -> Void = { _ in }) throws -> SessionStage {
        let engine = try engine.next(after: seconds)
        prepare(engine)
        return try SessionStage(engine, world)
    }

    // MARK: What an app does

    /// Assigns a connection to the app, and opens a session for it.
    @discardableResult
    func connect(_ connection: UInt64, session: String? = nil) throws -> AppJournal {
        let center = center
        let (reply, descriptor) = try engine.run {
            try await center.openApp(connection: connection, process: Int32(connection), pidfd: -1)
        }
        let journal = AppJournal(descriptor: descriptor, downloads: reply.downloads)
        if let session { _ = try open(session, connection) }
        return journal
    }

    func open(_ session: String, _ connection: UInt64) throws -> OpenSession.Reply {
        let center = center
        return try engine.run { try await center.open(session, connection: connection) }
    }

    func ring(_ connection: UInt64) {
        perform { $0.rung(connection) }
    }

    func hangUp(_ connection: UInt64) {
        perform { $0.connectionEnded(connection) }
    }

    /// Runs a closure on the engine, and everything that immediately follows from it.
    func perform(_ body: @escaping @Sendable (isolated SessionCenter) -> Void) {
        let center = center
        engine.loop.post { center.assumeIsolated { body($0) } }
        engine.settle()
    }

    /// The app's life cycle calls its sessions.
    func life(_ body: @escaping @Sendable (isolated any AppSessions) -> Void) {
        let sessions: any AppSessions = center
        engine.loop.post { sessions.assumeIsolated { body($0) } }
        engine.settle()
    }

    /// Ends a task as its queue does.
    func end(_ task: Int, of session: String = "s") throws {
        let queue = queue
        try engine.run { try await queue.end(SessionTaskKey(session: session, task: task), of: Self.app) }
        engine.settle()
    }

    /// The app's delegate has received the ends of all tasks, and acknowledges them in its journal.
    func acknowledge(_ task: Int, of session: String = "s", in journal: AppJournal) throws {
        let store = engine.store
        let key = SessionTaskKey(session: session, task: task)
        let found = try engine.run { try await store.transferIDs(of: [key], owner: Self.app) }
        guard let id = found.first ?? nil else { throw TestError("There is no task \(task)") }
        try journal.append(.acknowledge(id))
    }

    // MARK: What a test sees

    /// The numbers of the session's tasks in the store.
    func tasks(of session: String = "s") throws -> [Int] {
        let store = engine.store
        return try engine.run {
            try await store.sessionTasks(session, of: Self.app, after: 0, limit: 10_000).map(\.task)
        }
    }

    /// The total number of transfers.
    func transferCount() throws -> Int {
        let store = engine.store
        return try engine.run { try await store.page(TransferQuery(limit: 10_000)).transfers.count }
    }

    /// The names of the journal files.
    var journalFiles: [String] { Self.names(in: engine.paths.journals) }

    static func names(in folder: String) -> [String] {
        TestFiles.names(in: folder).filter { !$0.hasPrefix(".") }
    }

    /// What people are shown about journals.
    func sentences() throws -> [String] {
        let center = center
        return try engine.run { await center.notices }
    }

    var refusals: [(key: SessionTaskKey, failure: TransferFailure)] {
        events.compactMap { if case .refused(let key, let failure) = $0 { (key, failure) } else { nil } }
    }

    /// How often the app was called for its session.
    var callCount: Int { notices.count { if case .needsApp = $0 { true } else { false } } }
}
