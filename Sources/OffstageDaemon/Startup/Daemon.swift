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
import OffstageWork

/// One running daemon: its engines, its server, its sources of events, and the order in which they end.
final class Daemon {
    private let loop: EventLoop
    private let core: DaemonCore
    private let network: LoopOwned<NetworkMonitor>
    private let children: LoopOwned<ChildProcesses>
    private let store: SQLiteStore
    private let curl: FileSystemEngines
    private let stopRequest: LoopOwned<StopRequest>
    private let deadline: StopDeadline
    private let socket: LoopOwned<SocketRestorer>
    private let log: Log
    private let output: DaemonLog

    private final class StopRequest {
        var handler: (() -> Void)?
    }

    init(
        paths: OffstagePaths,
        settings: Settings,
        opened: SQLiteStore.Opened,
        place: DaemonPlace,
        startedBy: String,
        crashes: CrashMemory,
        output: DaemonLog,
        log: Log
    ) throws(DaemonError) {
        let loop: EventLoop
        do throws(EventLoop.Refusal) { loop = try EventLoop() } catch { throw .cannotStart(error.detail) }
        let network = LoopOwned(NetworkMonitor(), loop: loop)
        let children = LoopOwned(ChildProcesses(loop: loop, log: log), loop: loop)
        let stopRequest = LoopOwned(StopRequest(), loop: loop)
        let socket = LoopOwned(SocketRestorer(loop: loop, paths: paths, place: place, log: log), loop: loop)
        let core: DaemonCore
        do throws(DaemonStartError) {
            core = try DaemonCore(
                DaemonCore.Parts(
                    loop: loop,
                    paths: paths,
                    settings: settings,
                    opened: opened,
                    crashes: crashes,
                    machine: .kernel(network: network, children: children, crashes: crashes),
                    log: log
                ),
                at: DaemonCore.Place(
                    listener: place.listener,
                    startedBy: startedBy,
                    socketPath: { socket.value.path },
                    requestStop: { stopRequest.value.handler?() }
                )
            )
        } catch {
            switch error {
            case .store(let error): throw .store(error)
            case .noThreads: throw .cannotStart("the system allows no threads for work with files")
            }
        }
        do throws(EngineError) {
            curl = try FileSystemEngines(
                homeFileSystem: FileIdentity(at: paths.store)?.device,
                make: { (deliver) throws(EngineError) in try CurlEngine(deliver: deliver) },
                deliver: { events in loop.post { core.engineReported(events) } }
            )
        } catch { throw .cannotStart(error.detail) }
        (self.loop, self.core, self.network, self.children) = (loop, core, network, children)
        (self.stopRequest, self.socket, self.output, self.log) = (stopRequest, socket, output, log)
        store = opened.store
        deadline = StopDeadline(seconds: settings.stopDeadline, output: output, log: log)
    }

    /// Runs until a signal or a client asks it to stop.
    ///
    /// - Throws: if no signal or client could stop it.
    func run(signals: Int32, readiness: Readiness) throws(DaemonError) {
        let (loop, core, socket, curl) = (loop, core, socket, curl)
        let (queue, server) = (core.engines.queue, core.server)
        children.value.onFailure = { transfer, status in
            queue.assumeIsolated { $0.completionFailed(of: transfer, status: status) }
        }
        let logAlarm = loop.makeAlarm()
        loop.onAlarm(logAlarm) { [output] in output.settle() }
        output.setReminder { due in loop.post { loop.setAlarm(logAlarm, uptime: due) } }
        watchNetwork()
        watchMemory()
        let stop = makeStop(readiness)
        stopRequest.value.handler = stop
        try watch(signals: signals, stop: stop)
        loop.post {
            core.begin(with: curl)
            socket.value.start { listener in server.assumeIsolated { $0.listen(at: listener) } }
            readiness.ready()
            loop.startTask {
                // The memory used by the start, and by clients that waited for it.
                await loop.sleep(seconds: 2)
                offstage_trim_heap()
                offstage_unmap_unused_code()
            }
        }
        loop.run()
        socket.value.end()
        children.value.startRest()
        store.close()
    }

    /// Has suspended apps give up memory when it is short.
    private func watchMemory() {
        guard let monitor = MemoryPressureMonitor() else { return }
        if !core.engines.apps.assumeIsolated({ $0.watchMemory(monitor) }) {
            log.notice("memory is not watched: apps are not warned when it is low")
        }
    }

    /// Watches the network, for transfers and deferred work.
    private func watchNetwork() {
        let network = network
        let (queue, tasks) = (core.engines.queue, core.engines.tasks)
        network.value.watch(on: loop, log: log) {
            queue.assumeIsolated { $0.networkChanged() }
            let paths = network.value.paths
            tasks.assumeIsolated { $0.networkIs(paths) }
        }
        let paths = network.value.paths
        tasks.assumeIsolated { $0.networkIs(paths) }
    }

    /// Makes the function that stops the daemon; later calls of that function have no effect.
    private func makeStop(_ readiness: Readiness) -> () -> Void {
        let (loop, core, deadline) = (loop, core, deadline)
        var isStopping = false
        return {
            guard !isStopping else { return }
            isStopping = true
            readiness.stopping()
            deadline.begin()
            // One turn later, so that the reply to the client that requested it is sent first.
            loop.post { core.shutDown() }
        }
    }

    private func watch(signals: Int32, stop: @escaping () -> Void) throws(DaemonError) {
        let core = core
        let watch = loop.watch(signals, events: offstage_epoll_in) { _ in
            while case let signal = offstage_signalfd_read(signals), signal != 0 {
                switch signal {
                case SIGCHLD: core.childrenChanged()
                case SIGHUP: break  // a closing terminal is no reason to stop
                default: stop()
                }
            }
        }
        guard watch != nil else {
            throw .cannotStart("signals cannot be received: \(String(cString: strerror(errno)))")
        }
    }
}
