// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageHost
import OffstageProtocol
import OffstageRuntime
import OffstageStore
import OffstageSupervisor
import OffstageTransfers

/// One running daemon: its engines, its server, its sources of events, and the order in which they end.
final class Daemon {
    private let engines: Engines
    private let output: DaemonLog
    private let curl: CurlEngine
    private let server: DaemonServer
    private let stopRequest: LoopOwned<StopRequest>
    private let deadline: StopDeadline
    private let socket: LoopOwned<SocketKeeper>

    private final class StopRequest {
        var handler: (() -> Void)?
    }

    init(
        paths: OffstagePaths,
        settings: Settings,
        opened: SQLiteStore.Opened,
        place: DaemonPlace,
        startedBy: String,
        crashes: CrashLedger,
        output: DaemonLog,
        log: Log
    ) throws(DaemonError) {
        let base = try Engines.Base(paths: paths, settings: settings, opened: opened, crashes: crashes, log: log)
        let engines = try Engines(base)
        let (loop, clock, network, queue) = (base.loop, base.clock, base.network, engines.queue)
        let stopRequest = LoopOwned(StopRequest(), loop: loop)
        let started = clock.now()
        let socket = LoopOwned(SocketKeeper(loop: loop, paths: paths, place: place, log: log), loop: loop)
        server = DaemonServer(
            engines,
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
            )
        )
        do throws(EngineError) {
            curl = try CurlEngine { events in
                loop.post { queue.assumeIsolated { $0.engineReported(events) } }
            }
        } catch { throw .cannotStart(error.detail) }
        self.engines = engines
        self.stopRequest = stopRequest
        self.socket = socket
        self.output = output
        deadline = StopDeadline(seconds: settings.stopDeadline, output: output, log: log)
    }
    package
        /// Runs until a signal or a client asks it to stop.
        ///
        /// - Throws: if signals cannot be received, so that nobody could stop it.
        func run(signals: Int32, readiness: Readiness) throws(DaemonError)
    {
        let (loop, children, store) = (engines.base.loop, engines.base.children, engines.base.store)
        let (queue, sessions, server, socket, curl) = (engines.queue, engines.sessions, server, socket, curl)
        children.value.onFailure = { transfer, status in
            queue.assumeIsolated { $0.completionFailed(of: transfer, status: status) }
        }
        let logAlarm = loop.makeAlarm()
        let output = output
        loop.onAlarm(logAlarm) { output.settle() }
        output.setReminder { due in loop.post { loop.setAlarm(logAlarm, uptime: due) } }
        watchNetwork()
        watchMemory()
        let stop = makeStop(readiness)
        stopRequest.value.handler = stop
        try watch(signals: signals, stop: stop)
        loop.post {
            queue.assumeIsolated { queue in
                queue.setSessionSink { notice in sessions.assumeIsolated { $0.heard(notice) } }
                queue.begin(with: curl)
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

    /// Makes suspended apps give up memory when it is short.
    private func watchMemory() {
        guard let monitor = MemoryPressureMonitor() else { return }
        if !engines.apps.assumeIsolated({ $0.watchMemory(monitor) }) {
            engines.base.log.notice("memory is not watched: apps are not warned when it is low")
        }
    }

    /// Watches the network, for transfers and deferred work.
    private func watchNetwork() {
        let (loop, network, log) = (engines.base.loop, engines.base.network, engines.base.log)
        let (queue, tasks) = (engines.queue, engines.tasks)
        if network.value.isAvailable {
            var watch: EventLoop.Watch?
            watch = loop.watch(network.value.fileDescriptor, events: offstage_epoll_in) { _ in
                let hasChanged = network.value.readable()
                if network.value.isBroken, let ended = watch {
                    loop.unwatch(ended)
                    watch = nil
                    log.notice("the kernel no longer reports changes of the network: they are detected by trying")
                }
                guard hasChanged else { return }
                queue.assumeIsolated { $0.networkChanged() }
                let paths = network.value.paths
                tasks.assumeIsolated { $0.networkIs(paths) }
            }
            if watch == nil { log.notice("the network is not watched: its changes are detected by trying") }
        }
        let paths = network.value.paths
        tasks.assumeIsolated { $0.networkIs(paths) }
    }

    /// Makes the function that stops the daemon; further calls have no effect.
    private func makeStop(_ readiness: Readiness) -> () -> Void {
        let (loop, server, deadline) = (engines.base.loop, server, deadline)
        var isStopping = false
        return {
            guard !isStopping else { return }
            isStopping = true
            readiness.stopping()
            deadline.begin()
            // A turn later, so that the client that asked for it receives its answer first.
            loop.post { server.assumeIsolated { $0.shutDown() } }
        }
    }

    private func watch(signals: Int32, stop: @escaping () -> Void) throws(DaemonError) {
        let apps = engines.apps
        let watch = engines.base.loop.watch(signals, events: offstage_epoll_in) { _ in
            while case let signal = offstage_signalfd_read(signals), signal != 0 {
                switch signal {
                case SIGCHLD: apps.assumeIsolated { $0.childrenChanged() }
                case SIGHUP: break  // a terminal that closes is no reason to stop
                default: stop()
                }
            }
        }
        guard watch != nil else {
            throw .cannotStart("signals cannot be received: \(String(cString: strerror(errno)))")
        }
    }
}
