// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Processes of apps: launching, holding and ending them.
extension AppCenter {
    // MARK: Launching

    func spawn(_ app: SupervisedApp, token: String) {
        if let sentence = launches.setAside(app.id) {
            app.launchFailure = sentence
            return send(.spawnFailed(sentence, isForGood: true), to: app)
        }
        app.launchFailure = nil
        app.launchesUnderWay += 1
        launches.begin()
        let registration = app.life.registration
        loop.startTask {
            let outcome = await launches.launch(registration, token: token)
            app.launchesUnderWay -= 1
            launches.ended(outcome)
            launched(app, outcome, token: token)
            waiting.happened(to: app)
        }
    }

    private func launched(_ app: SupervisedApp, _ outcome: AppLaunches.Outcome, token: String) {
        // The launch was abandoned in the meantime, and perhaps repeated: this process is not expected any more.
        let isWanted = app.life.registration.launchToken == token && app.life.registration.process == nil
        switch outcome.result {
        case .success(let identity):
            let process = host.hold(identity)
            guard isWanted else {
                process?.kill()
                return
            }
            if let process {
                let isBorn = outcome.cgroup != nil && control.group(of: identity) == outcome.cgroup
                launches.newest = StageProcess(process, cgroup: isBorn ? outcome.cgroup : nil)
            }
            app.cgroup = outcome.cgroup
            send(.spawned(identity), to: app)
            launches.newest = nil
            if app.life.registration.process?.identity != identity { process?.kill() }
        case .failure(let error):
            guard isWanted else { return }
            app.cgroup = outcome.cgroup
            app.launchFailure = error.sentence
            send(.spawnFailed(error.sentence, isForGood: error.isForGood), to: app)
        }
    }

    /// Handles the end of child processes.
    package func childrenChanged() { launches.childrenChanged() }

    // MARK: Holding

    /// Takes hold of the app's new process, or releases the former one.
    func adoptProcess(of app: SupervisedApp) {
        let identity = app.life.registration.process?.identity
        guard app.process?.identity != identity else { return }
        release(app)
        guard let identity else { return }
        if let newcomer = app.newcomer, newcomer.stage.identity == identity {
            app.process = newcomer.stage
            app.newcomer = nil
            attached(newcomer, to: app)
        } else if let launched = launches.newest, launched.identity == identity {
            app.process = launched
        } else if let process = host.hold(identity) {
            // Other processes may have been started in an app's group: only a child of the daemon has its own.
            let isChild = app.life.registration.process?.isChild == true
            app.process = StageProcess(process, cgroup: isChild ? control.group(of: identity) : nil)
            // It was waiting to become the app's process, and its connection has ended in the meantime.
            if app.life.isAttached { send(.disconnected, to: app) }
        }
        guard let stage = app.process else { return ended(app, identity) }
        let id = app.id
        control.watchEnd(
            of: stage,
            while: { [weak self] in self?.assumeIsolated { $0.holds(identity, of: id) } ?? false },
            ended: { [weak self] in self?.assumeIsolated { $0.ended(identity, of: id) } }
        )
    }

    private func holds(_ identity: ProcessIdentity, of id: String) -> Bool {
        apps[id]?.process?.identity == identity && !readiness.isStopping
    }

    private func ended(_ identity: ProcessIdentity, of id: String) {
        if let app = apps[id], app.process?.identity == identity { ended(app, identity) }
    }

    private func release(_ app: SupervisedApp) {
        guard let stage = app.process else { return }
        control.unwatch(stage)
        app.process = nil
        app.reported = nil
        agenda.removeChores(of: app.id)
        if let connection = stage.connection { stages.remove(connection) }
    }

    private func ended(_ app: SupervisedApp, _ identity: ProcessIdentity) {
        // Its reports count: a task whose handler it has entered is not started again.
        if let connection = app.process?.connection { stages.readRest(of: connection) }
        let end = launches.takeEnd(of: identity.number)
        if let cgroup = app.process?.cgroup { app.cgroup = cgroup }
        release(app)
        send(.ended(end), to: app)
    }
}
