// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// What a daemon does first: finds the processes that the one before had, and leads them on.
extension AppCenter {
    func restore() async {
        let stored = await trouble.waitOut(.reading, unless: { isStopping }) { () throws(StoreError) in
            try await store.apps()
        }
        guard let stored else { return }
        let bootID = clock.now().bootID
        for registration in stored {
            let app = SupervisedApp(AppLife(registration, policy: policy(of: registration.id)))
            // The clock is another since the machine was started.
            if let process = registration.process, process.bootID == bootID {
                app.lastUsed = registration.lastUsed ?? 0
            }
            apps[registration.id] = app
        }
        // Whoever neither runs nor may be starting has nothing to be led to.
        let ids = stored.filter { $0.process != nil || $0.launchToken != nil }.map(\.id)
        for start in stride(from: 0, to: ids.count, by: Self.restoredAtOnce) {
            await restore(ids[start..<min(start + Self.restoredAtOnce, ids.count)].compactMap { apps[$0] })
        }
        isReady = true
        tellHolds()
        resumeAll(.ready)
        for notice in earlyNotices { heard(notice) }
        earlyNotices = []
        guard stored.count > 1000 else { return }
        await loop.sleep(seconds: 2)
        workers.submit { offstage_trim_heap() }
    }

    /// Apps that are led on in one turn of the loop.
    private static let restoredAtOnce = 100

    private func restore(_ some: [SupervisedApp]) async {
        for app in some where app.life.registration.process == nil {
            guard let token = app.life.registration.launchToken else { continue }
            // The daemon was killed before it learnt which process it had launched.
            let found = await patiently(within: Self.patience) { AppLauncher.find(token: token) }
            if let found = found ?? nil { tell(.spawned(found), to: app) }
        }
        let bootID = clock.now().bootID
        let processes = some.map { app in app.life.registration.process.flatMap { $0.bootID == bootID ? $0 : nil } }
        let seen = await signals.run { [freezer] in processes.map { $0.flatMap { Self.isStopped($0, freezer) } } }
        for (app, isStopped) in zip(some, seen) {
            if case .setAside(let crashes) = crashes.standing(of: .app(app.id)) {
                log("\(app.id) is set aside: \(Self.setAside(app.id, crashes))")
                continue
            }
            tell(.restored(isStopped: isStopped), to: app)
            crashes.survived(.app(app.id), .leadingOn)
            if app.life.state == .suspended { withhold(app) }
        }
    }

    /// Nil for a process that is no more.
    private static func isStopped(_ process: AppRegistration.Process, _ freezer: Freezer?) -> Bool? {
        guard let held = AppProcess.open(process.identity) else { return nil }
        // A breakpoint is no stop of ours.
        if ProcessStatus.tracer(of: process.identity.number) != nil { return false }
        let cgroup = process.isChild ? freezer?.group(of: process.identity.number) : nil
        return SignalTarget(process: held, cgroup: cgroup).isStopped(freezer: freezer)
    }

    /// What sessions need, on the loop and in order.
    func heard(_ notice: AppNotice) {
        guard isReady else { return earlyNotices.append(notice) }
        switch notice {
        case .needsApp(let id, let session): if let app = apps[id] { tell(.sessionNeedsApp(session), to: app) }
        case .settled(let id, let session): if let app = apps[id] { tell(.sessionSettled(session), to: app) }
        }
    }
}
