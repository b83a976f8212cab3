// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageStore
import OffstageSupervisor
import OffstageTransfers

/// One running daemon: loop, queue, engine, server and network monitor, and the order in which they end.
final class Daemon {
    private let loop: EventLoop
    private let queue: TransferQueue
    private let engine: CurlEngine
    private let sessions: SessionCenter
    private let apps: AppCenter
    private let tasks: TaskCenter
    private let server: DaemonServer
    private let store: SQLiteStore
    private let network: LoopOwned<NetworkMonitor>
    private let children: LoopOwned<ChildProcesses>
    private let stopRequest: LoopOwned<StopRequest>
    private let deadline: StopDeadline
    private let socket: LoopOwned<SocketKeeper>

    /// Where it listens, and where that stands.
    struct Place {
        var listener: Int32
        /// Whether systemd has made the socket.
        var isInherited: Bool
        /// The descriptor of the lock file.
        var lock: Int32
        var environment: [String: String]
    }

    private final class StopRequest {
        var handler: (() -> Void)?
    }

    init(
        paths: OffstagePaths,
        settings: Settings,
        opened: SQLiteStore.Opened,
        place: Place,
        startedBy: String,
        crashes: CrashLedger
    ) throws(DaemonError) {
        let loop: EventLoop
        do throws(EventLoop.Refusal) { loop = try EventLoop() } catch { throw .cannotStart(error.detail) }
        let clock = SystemClock(lead: loop.lead)
        let trouble = StoreTrouble(loop: loop, now: { clock.now() }, log: { DaemonMain.log($0) })
        let network = LoopOwned(NetworkMonitor(), loop: loop)
        let children = LoopOwned(ChildProcesses(loop: loop, log: { DaemonMain.log($0) }), loop: loop)
        let stopRequest = LoopOwned(StopRequest(), loop: loop)
        var restored = RestoredTransfers(settings: settings, crashes: crashes, now: clock.now())
        let accounts = AccountCenter(
            loop: loop,
            store: opened.store,
            keyPath: paths.accountKey,
            clock: clock,
            log: { DaemonMain.log($0) }
        )
        do { try opened.store.forEachUnfinished { restored.add($0) } } catch { throw .store(error) }
        let environment = Self.environment(
            clock: clock,
            network: network,
            children: children,
            accounts: accounts
        )
        queue = TransferQueue(
            loop: loop,
            store: opened.store,
            trouble: trouble,
            environment: environment,
            settings: settings,
            storeToken: opened.storeToken,
            snapshotFolder: paths.snapshots,
            resumableFolder: paths.resumable,
            responseFolder: { paths.downloads + "/" + AppIdentity.folderName(for: $0) },
            nextID: opened.nextID,
            restored: restored,
            crashes: crashes
        )
        sessions = SessionCenter(
            loop: loop,
            queue: queue,
            store: opened.store,
            trouble: trouble,
            accounts: accounts,
            paths: paths,
            clock: clock,
            crashes: crashes,
            log: { DaemonMain.log($0) }
        )
        apps = AppCenter(
            loop: loop,
            queue: queue,
            sessions: sessions,
            store: opened.store,
            trouble: trouble,
            paths: paths,
            settings: settings,
            clock: clock,
            freezer: Freezer.find(environment: ChildProcesses.environment()),
            crashes: crashes,
            reapAll: { children.value.reapAll() },
            reapOne: { children.value.reap($0) },
            log: { DaemonMain.log($0) }
        )
        do throws(StoreError) {
            tasks = try TaskCenter(
                loop: loop,
                queue: queue,
                apps: apps,
                store: opened.store,
                trouble: trouble,
                clock: clock,
                policy: settings.taskPolicy,
                folder: DaemonFolders.folder(of: paths.store),
                lowDataMode: settings.lowDataMode,
                log: { DaemonMain.log($0) }
            )
        } catch { throw .store(error) }
        let notifications: UserNotificationCenter
        do throws(StoreError) {
            notifications = try UserNotificationCenter(
                loop: loop,
                tasks: tasks,
                apps: apps,
                store: opened.store,
                settings: settings,
                clock: clock,
                desktop: DesktopLink(loop: loop) { Self.startNotifier(children) }
            )
        } catch { throw .store(error) }
        let started = clock.now()
        let socket = LoopOwned(SocketKeeper(loop: loop, paths: paths, place: place), loop: loop)
        server = DaemonServer(
            loop: loop,
            queue: queue,
            sessions: sessions,
            apps: apps,
            tasks: tasks,
            notifications: notifications,
            accounts: accounts,
            listener: place.listener,
            information: DaemonInformation(
                paths: paths,
                socketPath: { socket.value.path },
                storeToken: opened.storeToken,
                notices: { opened.store.notices + crashes.notices(now: clock.now()) },
                startedBy: startedBy,
                uptime: { clock.now().seconds(since: started) },
                network: { network.value.paths.summary },
                requestStop: { stopRequest.value.handler?() }
            ),
            log: { DaemonMain.log($0) }
        )
        let (queue, reports) = (queue, loop)
        do throws(EngineError) {
            engine = try CurlEngine { events in
                reports.post { queue.assumeIsolated { $0.engineReported(events) } }
            }
        } catch { throw .cannotStart(error.detail) }
        guard queue.hasThreads, sessions.workers.hasThreads, apps.workers.hasThreads, apps.signals.hasThreads else {
            throw .cannotStart("the system allows no threads for work with files")
        }
        store = opened.store
        self.loop = loop
        self.network = network
        self.children = children
        self.stopRequest = stopRequest
        self.socket = socket
        deadline = StopDeadline(seconds: settings.stopDeadline)
    }

    /// Starts the program that shows notifications, where there is a desktop to show them on; nil, or why it cannot be.
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

    /// What the queue needs from the machine.
    private static func environment(
        clock: SystemClock,
        network: LoopOwned<NetworkMonitor>,
        children: LoopOwned<ChildProcesses>,
        accounts: AccountCenter
    ) -> TransferQueue.Environment {
        TransferQueue.Environment(
            now: { clock.now() },
            networkProblem: { network.value.problem(reaching: $0) },
            jitter: { Double.random(in: 0..<1) },
            runCommand: { children.value.run($0, in: $1, variables: $2) },
            log: { DaemonMain.log($0) },
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

    /// Runs until a signal or a client asks it to stop.
    ///
    /// - Throws: when nobody could ask it.
    func run(signals: Int32, readiness: Readiness) throws(DaemonError) {
        let loop = self.loop
        let queue = self.queue
        let server = self.server
        let sessions = self.sessions
        let apps = self.apps
        let network = self.network
        let tasks = self.tasks
        children.value.onFailure = { transfer, status in
            queue.assumeIsolated { $0.completionFailed(of: transfer, status: status) }
        }
        let logAlarm = loop.makeAlarm()
        loop.onAlarm(logAlarm) { DaemonLog.shared.settle() }
        DaemonLog.shared.setReminder { due in loop.post { loop.setAlarm(logAlarm, uptime: due) } }
        if network.value.isAvailable {
            var watch: EventLoop.Watch?
            watch = loop.watch(network.value.fileDescriptor, events: offstage_epoll_in) { _ in
                let hasChanged = network.value.readable()
                if network.value.isBroken, let ended = watch {
                    loop.unwatch(ended)
                    watch = nil
                    DaemonMain.log("the kernel tells nothing of the network any more: what it does is learnt by trying")
                }
                guard hasChanged else { return }
                queue.assumeIsolated { $0.networkChanged() }
                let paths = network.value.paths
                tasks.assumeIsolated { $0.networkIs(paths) }
            }
            if watch == nil { DaemonMain.log("the network is not watched: what it does is learnt by trying") }
        }
        let paths = network.value.paths
        tasks.assumeIsolated { $0.networkIs(paths) }
        if let monitor = MemoryPressureMonitor() { apps.assumeIsolated { $0.watchMemory(monitor) } }
        let engine = engine
        let deadline = deadline
        var isStopping = false
        let stop = {
            guard !isStopping else { return }
            isStopping = true
            readiness.stopping()
            deadline.begin()
            // A turn later, so that the answer to whoever asked for it is sent first.
            loop.post { server.assumeIsolated { $0.shutDown() } }
        }
        stopRequest.value.handler = stop
        let signalWatch = loop.watch(signals, events: offstage_epoll_in) { _ in
            while case let signal = offstage_signalfd_read(signals), signal != 0 {
                switch signal {
                case SIGCHLD: apps.assumeIsolated { $0.childrenChanged() }
                case SIGHUP: break  // a terminal that closes is no reason to stop
                default: stop()
                }
            }
        }
        guard signalWatch != nil else {
            throw .cannotStart("signals are not heard: \(String(cString: strerror(errno)))")
        }
        let socket = socket
        loop.post {
            queue.assumeIsolated { queue in
                queue.setSessionSink { notice in sessions.assumeIsolated { $0.heard(notice) } }
                queue.begin(with: engine)
            }
            server.assumeIsolated { $0.start() }
            socket.value.start { listener in server.assumeIsolated { $0.listen(at: listener) } }
            readiness.ready()
            offstage_unmap_unused_code()
        }
        loop.run()
        socket.value.end()
        children.value.startRest()
        store.close()
    }
}
