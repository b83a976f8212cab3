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

/// The daemon's engines, and the one place where they are wired to each other.
struct Engines {
    let base: Base
    let accounts: AccountCenter
    let queue: TransferQueue
    let sessions: SessionCenter
    let apps: AppCenter
    let tasks: TaskCenter
    let notifications: UserNotificationCenter

    /// Their common base.
    struct Base {
        let paths: OffstagePaths
        let settings: Settings
        let opened: SQLiteStore.Opened
        let crashes: CrashLedger
        let loop: EventLoop
        let clock: SystemClock
        let trouble: StoreTrouble
        /// One thread, so that requests of a connection are decoded in the order in which they arrived.
        let workers = WorkerPool(threads: 1)
        let network: LoopOwned<NetworkMonitor>
        let children: LoopOwned<ChildProcesses>
        let log: Log

        init(
            paths: OffstagePaths,
            settings: Settings,
            opened: SQLiteStore.Opened,
            crashes: CrashLedger,
            log: Log
        ) throws(DaemonError) {
            self.log = log
            do throws(EventLoop.Refusal) { loop = try EventLoop() } catch { throw .cannotStart(error.detail) }
            let clock = SystemClock(lead: loop.lead)
            self.clock = clock
            trouble = StoreTrouble(loop: loop, now: { clock.now() }, log: log)
            network = LoopOwned(NetworkMonitor(), loop: loop)
            children = LoopOwned(ChildProcesses(loop: loop, log: log), loop: loop)
            (self.paths, self.settings, self.opened, self.crashes) = (paths, settings, opened, crashes)
        }

        var store: SQLiteStore { opened.store }
    }

    init(_ base: Base) throws(DaemonError) {
        self.base = base
        accounts = AccountCenter(
            loop: base.loop,
            store: base.store,
            keyPath: base.paths.accountKey,
            clock: base.clock,
            log: base.log
        )
        queue = try Self.queue(base, accounts)
        sessions = SessionCenter(
            loop: base.loop,
            queue: queue,
            store: base.store,
            trouble: base.trouble,
            workers: base.workers,
            accounts: accounts,
            peers: Self.peers(base.crashes),
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
        guard queue.hasThreads, base.workers.hasThreads else {
            throw .cannotStart("the system allows no threads for work with files")
        }
    }

    private static func queue(_ base: Base, _ accounts: AccountCenter) throws(DaemonError) -> TransferQueue {
        var restored = RestoredTransfers(settings: base.settings, crashes: base.crashes, now: base.clock.now())
        do { try base.store.forEachUnfinished { restored.add($0) } } catch { throw .store(error) }
        let downloads = base.paths.downloads
        return TransferQueue(
            loop: base.loop,
            store: base.store,
            trouble: base.trouble,
            environment: environment(base, accounts),
            settings: base.settings,
            places: TransferPlaces(
                storeToken: base.opened.storeToken,
                snapshots: base.paths.snapshots,
                resumable: base.paths.resumable,
                responses: { downloads + "/" + AppIdentity.folderName(for: $0) }
            ),
            nextID: base.opened.nextID,
            restored: restored,
            crashes: base.crashes
        )
    }

    /// The queue's access to the machine.
    private static func environment(_ base: Base, _ accounts: AccountCenter) -> TransferQueue.Environment {
        let (clock, network, children) = (base.clock, base.network, base.children)
        return TransferQueue.Environment(
            now: { clock.now() },
            networkProblem: { network.value.problem(reaching: $0) },
            jitter: { Double.random(in: 0..<1) },
            runCommand: { children.value.run($0, in: $1, variables: $2) },
            log: base.log,
            readCommand: { command, variables in
                await withCheckedContinuation { continuation in
                    children.value.read(command, variables: variables) { continuation.resume(returning: $0) }
                }
            },
            zone: .ofThisMachine,
            token: { account, rejecting, places, owner in
                await accounts.token(for: account, rejecting: rejecting, at: places, of: owner)
            }
        )
    }

    /// Identifies the peer of a socket, unless the daemon has crashed too often over its program.
    private static func peers(_ crashes: CrashLedger) -> PeerReader {
        PeerReader(
            identify: { process, pidfd in
                PeerProgram.looking(at: process, crashes) { PeerIdentity.read(process: process, pidfd: pidfd) }
            },
            hasEnded: { PeerIdentity.hasEnded($0) }
        )
    }

    private static func apps(_ base: Base, _ sessions: SessionCenter) -> AppCenter {
        let children = base.children
        return AppCenter(
            loop: base.loop,
            sessions: sessions,
            store: base.store,
            trouble: base.trouble,
            workers: base.workers,
            paths: base.paths,
            settings: base.settings,
            clock: base.clock,
            freezer: Freezer.find(environment: ChildProcesses.environment()),
            crashes: base.crashes,
            reapAll: { children.value.reapAll() },
            reapOne: { children.value.reap($0) },
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
            lowDataMode: base.settings.lowDataMode,
            log: base.log
        )
    }

    private static func notifications(
        _ base: Base,
        _ tasks: TaskCenter,
        _ apps: AppCenter
    ) throws(StoreError) -> UserNotificationCenter {
        let children = base.children
        return try UserNotificationCenter(
            loop: base.loop,
            tasks: tasks,
            apps: apps,
            store: base.store,
            settings: base.settings,
            clock: base.clock,
            desktop: DesktopLink(loop: base.loop) { startNotifier(children) }
        )
    }

    /// Starts the program that shows notifications, if there is a desktop; nil, or the reason why it cannot be started.
    @Sendable private static func startNotifier(_ children: LoopOwned<ChildProcesses>) -> String? {
        let environment = ChildProcesses.environment()
        guard NotifierProgram.hasSessionBus(environment) else { return "there is no desktop session" }
        guard let path = NotifierProgram.path(environment) else {
            return "the program offstage-notifier is not installed"
        }
        children.value.run(
            "\"$OFFSTAGE_NOTIFIER\" >/dev/null 2>&1 &",
            in: "/",
            variables: ["OFFSTAGE_NOTIFIER": path]
        )
        return nil
    }
}
