// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// A daemon's first work: finds the processes of the daemon before, and continues to supervise them.
extension AppCenter {
    func restore() async {
        guard let stored = await records.apps(unless: { readiness.isStopping }) else { return }
        let bootID = clock.now().bootID
        for registration in stored {
            let app = SupervisedApp(AppLife(registration, policy: policy(of: registration.id)))
            // The clock was reset when the machine started.
            if let process = registration.process, process.bootID == bootID {
                app.lastUsed = registration.lastUsed ?? 0
            }
            apps[registration.id] = app
        }
        // An app that is neither running nor possibly starting needs nothing.
        let ids = stored.filter { $0.process != nil || $0.launchToken != nil }.map(\.id)
        for start in stride(from: 0, to: ids.count, by: Self.restoredAtOnce) {
            await restore(ids[start..<min(start + Self.restoredAtOnce, ids.count)].compactMap { apps[$0] })
        }
        let early = readiness.becomeReady()
        reportHolds()
        waiting.reached(.ready)
        for notice in early { receive(notice) }
        guard stored.count > 1000 else { return }
        await loop.sleep(seconds: 2)
        launches.workers.submit { offstage_trim_heap() }
    }

    /// The number of apps that are restored in one turn of the loop.
    private static let restoredAtOnce = 100

    private func restore(_ some: [SupervisedApp]) async {
        for app in some where app.life.registration.process == nil {
            guard let token = app.life.registration.launchToken else { continue }
            // The daemon was killed before it received the number of the process that it had launched.
            let found = await waiting.patiently { [host] in host.process(launchedWith: token) }
            if let found = found ?? nil { send(.spawned(found), to: app) }
        }
        let bootID = clock.now().bootID
        let processes = some.map { app in app.life.registration.process.flatMap { $0.bootID == bootID ? $0 : nil } }
        let seen = await control.areStopped(processes)
        for (app, isStopped) in zip(some, seen) where launches.leadsOn(app.id) {
            send(.restored(isStopped: isStopped), to: app)
            launches.crashes.survived(.app(app.id), .leadingOn)
            if app.life.state == .suspended { sessions.withhold(from: app) }
        }
    }

    /// Handles the requests of sessions, on the loop and in order.
    func receive(_ notice: AppNotice) {
        if readiness.keeps(notice) { return }
        switch notice {
        case .needsApp(let id, let session): if let app = apps[id] { send(.sessionNeedsApp(session), to: app) }
        case .settled(let id, let session): if let app = apps[id] { send(.sessionSettled(session), to: app) }
        }
    }
}
