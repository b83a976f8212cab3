// SPDX-License-Identifier: Apache-2.0
import OffstageAccounts
import OffstageCore
import OffstageHost
import OffstageRuntime
import OffstageSessions
import OffstageStore
import OffstageSupervisor
import OffstageTransfers
import OffstageWork

/// The daemon's engines, and the only place where they are connected to each other.
struct Engines {
    let base: Base
    let accounts: AccountCenter
    let token: TransferQueue.Environment.TokenSource
    let queue: TransferQueue
    let sessions: SessionCenter
    let apps: AppCenter
    let tasks: TaskCenter
    let notifications: UserNotificationCenter
    let announcer: TransferAnnouncer

    /// The parts that all engines share.
    struct Base {
        let paths: OffstagePaths
        let settings: Settings
        let opened: SQLiteStore.Opened
        let crashes: CrashMemory
        let machine: Machine
        let loop: EventLoop
        let clock: SystemClock
        let trouble: StoreTrouble
        /// One thread, so that a connection's reads are done in the order of its requests.
        let workers: WorkerPool
        let log: Log

        init(_ parts: DaemonCore.Parts) {
            (loop, log, machine) = (parts.loop, parts.log, parts.machine)
            let clock = SystemClock(of: parts.loop)
            self.clock = clock
            trouble = StoreTrouble(loop: loop, now: { clock.now() }, log: log)
            workers = WorkerPool(threads: 1, on: loop)
            (paths, settings, opened, crashes) = (parts.paths, parts.settings, parts.opened, parts.crashes)
        }

        var store: SQLiteStore { opened.store }
    }

    init(_ base: Base) throws(DaemonStartError) {
        self.base = base
        accounts = AccountCenter(
            loop: base.loop,
            store: base.store,
            trouble: base.trouble,
            keyPath: base.paths.accountKey,
            clock: base.clock,
            exchange: base.machine.exchange,
            log: base.log
        )
        let environment = Self.environment(base, accounts)
        token = environment.token
        queue = try Self.queue(base, environment)
        sessions = SessionCenter(
            loop: base.loop,
            queue: queue,
            store: base.store,
            trouble: base.trouble,
            workers: base.workers,
            accounts: accounts,
            peers: base.machine.peers,
            paths: base.paths,
            clock: base.clock,
            crashes: base.crashes,
            log: base.log
        )
        apps = Self.apps(base, sessions)
        do throws(StoreError) {
            tasks = try Self.tasks(base, queue, apps)
            notifications = try Self.notifications(base, tasks, apps)
        } catch { throw .store(error) }
        announcer = TransferAnnouncer(loop: base.loop, desktop: notifications.desktop)
        guard queue.hasThreads, base.workers.hasThreads else {
            throw .noThreads
        }
    }

    private static func queue(
        _ base: Base,
        _ environment: TransferQueue.Environment
    ) throws(DaemonStartError) -> TransferQueue {
        var restored = RestoredTransfers(settings: base.settings, crashes: base.crashes, now: base.clock.now())
        do { try base.store.forEachUnfinished { restored.add($0) } } catch { throw .store(error) }
        let downloads = base.paths.downloads
        return TransferQueue(
            loop: base.loop,
            store: base.store,
            trouble: base.trouble,
            environment: environment,
            settings: base.settings,
            places: TransferPlaces(
                storeToken: base.opened.storeToken,
                snapshots: base.paths.snapshots,
                resumable: base.paths.resumable,
                responses: { downloads + "/" + AppIdentity.folderName(for: $0) }
            ),
            nextID: base.opened.nextID,
            restored: restored,
            crashes: base.crashes,
            chronicle: base.store.chronicle
        )
    }

    /// The threads that read the key files of Google and AWS, and sign.
    private static let keyThreads = 4

    /// The queue's access to the machine.
    private static func environment(_ base: Base, _ accounts: AccountCenter) -> TransferQueue.Environment {
        let (clock, machine) = (base.clock, base.machine)
        // A key file on an unresponsive file system delays no connection.
        let keyReaders = WorkerPool(threads: keyThreads, staying: 0, atOnce: 1, substitute: base.workers)
        let profiles = AWSProfileReader(workers: keyReaders, readCommand: machine.readCommand)
        let google = GoogleTokens(
            accounts: accounts,
            workers: keyReaders,
            clock: clock,
            readCommand: machine.readCommand
        )
        return TransferQueue.Environment(
            now: { clock.now() },
            networkProblem: machine.networkProblem,
            jitter: machine.jitter,
            runCommand: machine.runCommand,
            log: base.log,
            readCommand: machine.readCommand,
            zone: machine.zone,
            token: { source, rejecting, places, owner in
                switch source {
                case .account(let name):
                    await accounts.token(for: name, rejecting: rejecting, at: places, of: owner)
                case .profile(let profile): await profiles.key(of: profile, rejecting: rejecting)
                case .google(let credentials): await google.token(for: credentials, rejecting: rejecting)
                }
            }
        )
    }

    private static func apps(_ base: Base, _ sessions: SessionCenter) -> AppCenter {
        AppCenter(
            loop: base.loop,
            sessions: sessions,
            store: base.store,
            trouble: base.trouble,
            workers: base.workers,
            paths: base.paths,
            settings: base.settings,
            clock: base.clock,
            host: base.machine.processes,
            freezer: base.machine.freezer,
            crashes: base.crashes,
            reapAll: base.machine.reapAll,
            reapOne: base.machine.reapOne,
            chronicle: base.store.chronicle,
            log: base.log
        )
    }

    private static func tasks(
        _ base: Base,
        _ queue: TransferQueue,
        _ apps: AppCenter
    ) throws(StoreError) -> TaskCenter {
        try TaskCenter(
            loop: base.loop,
            queue: queue,
            apps: apps,
            workers: base.workers,
            store: base.store,
            trouble: base.trouble,
            clock: base.clock,
            policy: base.settings.taskPolicy,
            folder: DaemonFolders.folder(of: base.paths.store),
            sources: base.machine.sources,
            lowDataMode: base.settings.lowDataMode,
            chronicle: base.store.chronicle,
            log: base.log
        )
    }

    private static func notifications(
        _ base: Base,
        _ tasks: TaskCenter,
        _ apps: AppCenter
    ) throws(StoreError) -> UserNotificationCenter {
        try UserNotificationCenter(
            loop: base.loop,
            tasks: tasks,
            apps: apps,
            store: base.store,
            settings: base.settings,
            clock: base.clock,
            desktop: DesktopLink(loop: base.loop, startProgram: base.machine.startNotifier)
        )
    }
}
