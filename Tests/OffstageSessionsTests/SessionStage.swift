// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles
import OffstageProtocol
import OffstageRuntime
import OffstageSessions
import OffstageStore
import OffstageTestSupport

/// Background sessions as a daemon carries them out, with its own loop, store and journals, and without server, apps or
/// transfers that are carried out.
final class SessionStage: Sendable {
    static let app = "org.example.app"

    struct Seen: Sendable {
        var events: [SessionEvent] = []
        /// What the life of the app was told.
        var notices: [AppNotice] = []
    }

    let directory: TemporaryDirectory
    let center: SessionCenter
    let queue: StandInQueue
    let seen = Monitor(Seen())
    private let loop: EventLoop
    private let store: SQLiteStore
    private let hasLoopEnded = Monitor(false)

    /// - Parameter other: the daemon before, which is cut off where it stands: whose store and journals it takes over.
    /// - Throws: `TestError`, `StoreError`, `EventLoop.Refusal`, `SettingsError`.
    init(after other: SessionStage? = nil) throws {
        other?.cut()
        directory = try other?.directory ?? TemporaryDirectory()
        let paths = try OffstagePaths(environment: ["OFFSTAGE_HOME": directory.path])
        if other == nil {
            for folder in [paths.journals, paths.downloads, paths.snapshots] {
                try PrivateFolder.make(folder)
            }
        }
        let opened = try SQLiteStore.open(path: directory.path("store.sqlite"))
        store = opened.store
        let loop = try EventLoop()
        self.loop = loop
        let clock = SystemClock(lead: loop.lead)
        let log = Log { _ in }
        let queue = StandInQueue(loop: loop, store: opened.store, clock: clock, nextID: opened.nextID.rawValue)
        self.queue = queue
        // Connection n is process n of the one app.
        let peers = PeerReader(
            identify: { process, _ in
                PeerIdentity(app: Self.app, process: ProcessIdentity(number: process, startedAt: 1))
            },
            hasEnded: { _ in false }
        )
        let center = SessionCenter(
            loop: loop,
            queue: queue,
            store: opened.store,
            trouble: StoreTrouble(loop: loop, now: { clock.now() }, log: log),
            workers: WorkerPool(threads: 1),
            accounts: StandInAccounts(),
            peers: peers,
            paths: paths,
            clock: clock,
            crashes: CrashLedger(CrashContainment()) { _ in },
            log: log
        )
        self.center = center
        let (seen, hasLoopEnded) = (seen, hasLoopEnded)
        try TestThread.start {
            loop.run()
            hasLoopEnded.withLock { $0 = true }
        }
        loop.post {
            queue.assumeIsolated { $0.setSink { notice in center.assumeIsolated { $0.receive(notice) } } }
            center.assumeIsolated { center in
                center.setServer(
                    send: { event, _ in seen.withLock { $0.events.append(event) } },
                    hangUp: { _ in }
                )
                center.setAppSink { notice in seen.withLock { $0.notices.append(notice) } }
                center.start()
            }
        }
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

    /// Makes a connection the app's, and takes a session for it.
    func connect(_ connection: UInt64, session: String? = nil) async throws -> AppJournal {
        let (reply, descriptor) = try await center.openApp(
            connection: connection,
            process: Int32(connection),
            pidfd: -1
        )
        if let session { _ = try await center.open(session, connection: connection) }
        return AppJournal(descriptor: descriptor, downloads: reply.downloads)
    }

    /// The numbers of the session's tasks in the store.
    func tasks(of session: String) async throws -> [Int] {
        try await store.sessionTasks(session, of: Self.app, after: 0, limit: 10_000).map(\.task)
    }

    /// How many transfers there are in all.
    func transferCount() async throws -> Int { try await store.page(TransferQuery(limit: 10_000)).transfers.count }
}

/// An app's end of its journal.
final class AppJournal {
    private let descriptor: Int32
    private let downloads: String
    private var sequence: UInt64 = 0

    init(descriptor: Int32, downloads: String) {
        (self.descriptor, self.downloads) = (descriptor, downloads)
    }

    deinit { close(descriptor) }

    /// Hands a download over, as `resume()` does.
    func resume(_ task: Int, of session: String) throws {
        var spec = TransferSpec(
            direction: .download(.init(path: "\(downloads)/CFNetworkDownload_\(session)\(task).tmp")),
            url: try RequestURL("http://127.0.0.1:9/\(task)"),
            owner: SessionStage.app
        )
        spec.sessionTask = SessionTaskKey(session: session, task: task)
        try append(.submit(spec))
    }

    func append(_ entry: JournalEntry) throws {
        sequence += 1
        let bytes = try JournalRecord(entry, sequence: sequence).encoded()
        guard flock(descriptor, LOCK_EX) == 0, lseek(descriptor, 0, SEEK_END) >= 0,
            write(descriptor, bytes, bytes.count) == bytes.count, flock(descriptor, LOCK_UN) == 0
        else { throw TestError.system("append to a journal") }
    }
}
