// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore
import OffstageSupervisor

/// What a daemon does first: finds the processes that the one before had, and leads them on.
extension AppCenter {
    func restore() async {
        var stored: [AppRegistration]?
        while stored == nil, !isStopping {
            do throws(StoreError) {
                stored = try await store.apps()
            } catch {
                log(error.sentence)
                await queue.wait(seconds: 1)
            }
        }
        guard let stored else { return }
        for registration in stored {
            apps[registration.id] = SupervisedApp(AppLife(registration, policy: policy(of: registration.id)))
        }
        // Whoever neither runs nor may be starting has nothing to be led to.
        for registration in stored where registration.process != nil || registration.launchToken != nil {
            if let app = apps[registration.id] { await restore(app) }
        }
        isReady = true
        resumeAll(.ready)
        if stored.count > 1000 { workers.submit { offstage_trim_heap() } }
        for notice in earlyNotices { heard(notice) }
        earlyNotices = []
    }

    private func restore(_ app: SupervisedApp) async {
        let registration = app.life.registration
        if registration.process == nil, let token = registration.launchToken {
            // The daemon was killed before it learnt which process it had launched.
            let found = await workers.run { AppLauncher.find(token: token) }
            if let found { tell(.spawned(found), to: app) }
        }
        guard let process = app.life.registration.process, process.bootID == clock.now().bootID,
            let held = AppProcess.open(process.identity)
        else { return tell(.restored(isStopped: nil), to: app) }
        let isStopped = await signals.run { held.isStopped() }
        tell(.restored(isStopped: isStopped), to: app)
        if app.life.state == .suspended { withhold(app) }
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
