// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageRuntime

/// Acts on apps' processes from outside: stops, continues, prioritizes and inspects them, by signals and, if cgroups
/// are delegated to this user, by the freezer. Reports their ends.
struct ProcessControl: Sendable {
    private let loop: EventLoop
    let host: any ProcessHost
    private let freezer: Freezer?
    private let log: Log
    /// For signals that first need a process's children, and for cgroups. One thread, which keeps them in order.
    private let thread: WorkerPool
    private let workers: WorkerPool

    /// - Parameters:
    ///   - loop: the loop on which ends are reported.
    ///   - host: the host of the apps' processes.
    ///   - freezer: nil without delegated cgroups.
    ///   - workers: do the work if the system refuses a thread for it.
    ///   - log: the daemon's log.
    init(
        loop: EventLoop,
        host: any ProcessHost,
        freezer: Freezer?,
        workers: WorkerPool,
        log: Log
    ) {
        self.workers = workers
        self.loop = loop
        self.host = host
        self.freezer = freezer
        self.log = log
        thread = WorkerPool(threads: 1, staying: 0, substitute: workers)
    }

    func shutDown() {
        thread.shutDown()
        workers.shutDown()
    }

    // MARK: Signals

    func stop(_ stage: StageProcess) { reach(stage) { $0.stop(freezer: $1) } }
    func resume(_ stage: StageProcess) { reach(stage) { $0.resume(freezer: $1) } }
    func kill(_ stage: StageProcess) { reach(stage) { $0.kill(freezer: $1) } }

    private func reach(_ stage: StageProcess, _ body: @escaping @Sendable (SignalTarget, Freezer?) -> Void) {
        let target = stage.target
        if stage.leadsGroup {
            body(target, freezer)
        } else {
            // A walk over `/proc` takes too long for the loop; a single thread keeps the actions in order.
            thread.submit { [freezer] in body(target, freezer) }
        }
    }

    func setPriority(_ stage: StageProcess, isBackground: Bool) {
        let (process, cgroup) = (stage.process, stage.cgroup)
        thread.submit { [freezer] in
            process.setPriority(isBackground: isBackground)
            if let cgroup { freezer?.setWeight(cgroup, isBackground: isBackground) }
        }
    }

    // MARK: Whether it is stopped

    /// With a few system calls, for a process that leads its group; nil once it has ended.
    func isStopped(leader: StageProcess) -> Bool? { leader.target.isStopped(freezer: freezer) }

    /// With a walk over `/proc` on another thread; nil once it has ended.
    func isStopped(_ target: SignalTarget) async -> Bool? {
        await thread.run { [freezer] in target.isStopped(freezer: freezer) }
    }

    /// Whether each process of an earlier daemon is stopped; nil if it has ended, or there was none.
    func areStopped(_ processes: [AppRegistration.Process?]) async -> [Bool?] {
        await thread.run { [host, freezer] in processes.map { $0.flatMap { Self.isStopped($0, host, freezer) } } }
    }

    private static func isStopped(
        _ process: AppRegistration.Process,
        _ host: any ProcessHost,
        _ freezer: Freezer?
    ) -> Bool? {
        guard let held = host.hold(process.identity) else { return nil }
        // A breakpoint is not one of our stops.
        if host.tracer(of: process.identity.number) != nil { return false }
        let cgroup = process.isChild ? freezer?.group(of: process.identity.number) : nil
        return SignalTarget(process: held, cgroup: cgroup).isStopped(freezer: freezer)
    }

    // MARK: Its end

    /// Reports the end of a process. If the kernel cannot watch it, this is retried until it can: an ended app must not
    /// stay on stage forever.
    ///
    /// - Parameters:
    ///   - stage: the process; its `watch` is set once the kernel watches it.
    ///   - isWanted: whether the end is still of interest; called before each retry.
    ///   - ended: called on the loop.
    func watchEnd(
        of stage: StageProcess,
        while isWanted: @escaping @Sendable () -> Bool,
        ended: @escaping @Sendable () -> Void
    ) {
        stage.watch = loop.watch(stage.process.descriptor, events: offstage_epoll_in) { _ in ended() }
        guard stage.watch == nil else { return }
        log.error(
            "a process cannot be watched, and is tried again",
            ["process": stage.identity.number, "reason": ErrorNumber(errno)]
        )
        let held = LoopOwned(stage, loop: loop)
        loop.startTask {
            await loop.sleep(seconds: 1)
            if held.value.watch == nil, isWanted() { watchEnd(of: held.value, while: isWanted, ended: ended) }
        }
    }

    func unwatch(_ stage: StageProcess) {
        if let watch = stage.watch { loop.unwatch(watch) }
        stage.watch = nil
    }

    // MARK: Cgroups

    /// The cgroup in which an app's next process starts; nil for none.
    func makeGroup(of app: String) async -> String? { await thread.run { [freezer] in freezer?.make(app) } }

    /// The app's cgroup that a process is in; nil for none.
    func group(of process: ProcessIdentity) -> String? { freezer?.group(of: process.number) }

    func remove(_ cgroup: String) { thread.submit { [freezer] in _ = freezer?.remove(cgroup) } }
}
