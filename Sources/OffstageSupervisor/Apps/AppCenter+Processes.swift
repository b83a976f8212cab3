// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageRuntime

/// Processes of apps: launched, held, looked at, and gone.
extension AppCenter {
    /// Something to be looked at later.
    struct Chore {
        enum Kind: Equatable {
            /// Whether it is stopped.
            case observe
            /// Whether it has stopped itself and the terminal is somebody else's, again and again until then.
            case behindTerminal(pause: Double, until: Double)

            var isObservation: Bool { self == .observe }
        }
        /// Seconds on the boot-time clock.
        var due: Double
        var kind: Kind
        var app: SupervisedApp
        var process: ProcessIdentity
    }

    // MARK: Launching

    func spawn(_ app: SupervisedApp, token: String) {
        let registration = app.life.registration
        var environment = registration.launch.environment
        environment[AppLauncher.tokenVariable] = token
        let logPath = logPath(of: app.id)
        let variables = environment
        if case .setAside(let crashes) = crashes.standing(of: .app(app.id)) {
            let sentence = Self.setAside(app.id, crashes)
            app.launchFailure = sentence
            return tell(.spawnFailed(sentence, isForGood: true), to: app)
        }
        app.launchFailure = nil
        app.launchesUnderWay += 1
        launchesUnderWay += 1
        loop.startTask {
            let id = registration.id
            let cgroup = await signals.run { [freezer] in freezer?.make(id) }
            // On a thread of its own: an executable on a mount that does not answer holds up no other app.
            let found = await patiently(within: Self.patience) {
                Result { () throws(LaunchError) in try AppExecutable(registration.executable) }
            }
            let executable =
                found
                ?? .failure(.tooLate(registration.executable, workingDirectory: registration.launch.workingDirectory))
            let result = await patiently(within: nil) {
                Doing.named(.app, .launching, id) {
                    Doing.faultPoint("trap-in-launch", id)
                    return Result { () throws(LaunchError) in
                        try AppLauncher.spawn(
                            executable: executable.get(),
                            arguments: registration.launch.arguments,
                            environment: variables,
                            workingDirectory: registration.launch.workingDirectory,
                            logPath: logPath,
                            cgroup: cgroup
                        )
                    }
                }
            }
            crashes.survived(.app(id), .launching)
            launchesUnderWay -= 1
            app.launchesUnderWay -= 1
            let outcome = result ?? .failure(LaunchError.process(code: EAGAIN))
            if case .success(let identity) = outcome { children.insert(identity.number) }
            childrenChanged()
            if launchesUnderWay == 0 { resumeAll(.launched) }
            launched(app, outcome, token: token, cgroup: cgroup)
            happened(to: app)
        }
    }

    private func launched(
        _ app: SupervisedApp,
        _ result: Result<ProcessIdentity, LaunchError>,
        token: String,
        cgroup: String?
    ) {
        // Given up meanwhile, and perhaps launched once more: nobody waits for this one.
        let isWanted = app.life.registration.launchToken == token && app.life.registration.process == nil
        switch result {
        case .success(let identity):
            let process = AppProcess.open(identity)
            guard isWanted else {
                process?.kill()
                return
            }
            if let process {
                let isBorn = cgroup != nil && freezer?.group(of: identity.number) == cgroup
                launching = StageProcess(process, cgroup: isBorn ? cgroup : nil)
            }
            app.cgroup = cgroup
            tell(.spawned(identity), to: app)
            launching = nil
            if app.life.registration.process?.identity != identity { process?.kill() }
        case .failure(let error):
            guard isWanted else { return }
            app.cgroup = cgroup
            app.launchFailure = error.sentence
            tell(.spawnFailed(error.sentence, isForGood: error.isForGood), to: app)
        }
    }

    func logPath(of app: String) -> String { paths.appLogs + "/" + AppIdentity.folderName(for: app) + ".log" }

    static func setAside(_ app: String, _ crashes: Int) -> String {
        "the daemon crashed \(crashes) times while handling \(app.redactedControls): 'offstage app launch' tries it once more, and 'offstage doctor' shows a line to report"
    }

    // MARK: Holding

    /// Takes hold of the process that has become the app's, or lets go of the one that is not any more.
    func adoptProcess(of app: SupervisedApp) {
        let identity = app.life.registration.process?.identity
        guard app.process?.identity != identity else { return }
        release(app)
        guard let identity else { return }
        if let newcomer = app.newcomer, newcomer.stage.identity == identity {
            app.process = newcomer.stage
            app.newcomer = nil
            attached(newcomer, to: app)
        } else if let launching, launching.identity == identity {
            app.process = launching
        } else if let process = AppProcess.open(identity) {
            // Others may have been started in an app's group: it is its own for a child of the daemon alone.
            let isChild = app.life.registration.process?.isChild == true
            app.process = StageProcess(process, cgroup: isChild ? freezer?.group(of: identity.number) : nil)
            // It waited to be the app's, and its connection is gone meanwhile.
            if app.life.isAttached { tell(.disconnected, to: app) }
        }
        guard let stage = app.process else { return ended(app, identity) }
        watchEnd(of: stage, app.id)
    }

    /// Hears of a process's end. What the kernel does not watch is looked at until it does: an app that has ended is not
    /// to be on stage for ever.
    private func watchEnd(of stage: StageProcess, _ id: String) {
        let identity = stage.identity
        stage.watch = loop.watch(stage.process.descriptor, events: offstage_epoll_in) { [weak self] _ in
            self?.assumeIsolated { $0.ended(identity, of: id) }
        }
        guard stage.watch == nil else { return }
        log("the process \(identity.number) cannot be watched (\(String(cString: strerror(errno)))): tried again")
        loop.startTask {
            await loop.sleep(seconds: 1)
            guard let app = apps[id], app.process?.identity == identity, let stage = app.process, stage.watch == nil,
                !isStopping
            else { return }
            watchEnd(of: stage, id)
        }
    }

    private func ended(_ identity: ProcessIdentity, of id: String) {
        if let app = apps[id], app.process?.identity == identity { ended(app, identity) }
    }

    private func release(_ app: SupervisedApp) {
        guard let stage = app.process else { return }
        if let watch = stage.watch { loop.unwatch(watch) }
        stage.watch = nil
        app.process = nil
        app.reported = nil
        chores.removeAll { $0.app === app }
        if let connection = stage.connection {
            stages[connection] = nil
            heldCommands[connection] = nil
        }
    }

    private func ended(_ app: SupervisedApp, _ identity: ProcessIdentity) {
        // What it has said counts: a task whose handler it has entered is not begun again.
        if let connection = app.process?.connection { readRest?(connection) }
        let isChild = children.remove(identity.number) != nil
        let end = isChild ? childEnds.removeValue(forKey: identity.number) ?? reapOne(identity.number) : nil
        if let cgroup = app.process?.cgroup { app.cgroup = cgroup }
        release(app)
        tell(.ended(end ?? .unknown), to: app)
    }

    /// Children have ended: their statuses are taken, unless a child is just being made, whose status nobody could tell
    /// from another's.
    package func childrenChanged() {
        guard launchesUnderWay == 0 else { return }
        for (process, end) in reapAll() where children.contains(process) { childEnds[process] = end }
    }

    // MARK: Looking

    func addChore(_ kind: Chore.Kind, for app: SupervisedApp, after seconds: Double) {
        guard let process = app.process?.identity else { return }
        let due = clock.now().uptime + seconds
        // The last of a kind counts.
        chores.removeAll { $0.app === app && $0.kind.isObservation == kind.isObservation }
        chores.append(Chore(due: due, kind: kind, app: app, process: process))
    }

    func attend(to chore: Chore) {
        guard let stage = chore.app.process, stage.identity == chore.process else { return }
        switch chore.kind {
        case .observe: observe(chore.app, stage)
        case .behindTerminal(let pause, let end): lookBehindTerminal(chore.app, pause: pause, until: end)
        }
    }

    private func observe(_ app: SupervisedApp, _ stage: StageProcess) {
        // A breakpoint is no stop of ours: it is looked at again for as long as it is to be stopped.
        if ProcessStatus.tracer(of: stage.identity.number) != nil { return tell(.observed(isStopped: false), to: app) }
        let target = stage.target
        if stage.leadsGroup {
            if let isStopped = target.isStopped(freezer: freezer) { tell(.observed(isStopped: isStopped), to: app) }
            return
        }
        loop.startTask {
            let isStopped = await signals.run { [freezer] in target.isStopped(freezer: freezer) }
            if app.process === stage, let isStopped { tell(.observed(isStopped: isStopped), to: app) }
        }
    }

    /// Lets an app that stops itself at Ctrl-Z go on behind its shell.
    func resumeBehindTerminal(_ app: SupervisedApp) {
        // Asked for again, it is still the same wait.
        guard !chores.contains(where: { $0.app === app && !$0.kind.isObservation }) else { return }
        lookBehindTerminal(app, pause: 0.001, until: clock.now().uptime + Self.shellPatience)
    }

    /// Looks whether an app has stopped itself and its shell has taken the terminal: continued before that, it would be
    /// stopped again, or the shell would never learn that it had stopped.
    private func lookBehindTerminal(_ app: SupervisedApp, pause: Double, until end: Double) {
        guard let stage = app.process else { return }
        let isOver = clock.now().uptime >= end
        // Without a terminal nobody takes it.
        let standing = stage.process.terminalStanding() ?? (stage.process.isStopped() ?? false, isInFront: false)
        if standing.isStopped, !standing.isInFront || isOver {
            return signal(app) { $0.resume(freezer: $1) }
        }
        if isOver { return }
        addChore(.behindTerminal(pause: min(pause * 2, 0.05), until: end), for: app, after: pause)
    }

    /// Seconds that a shell has to take the terminal: one that does not do jobs never will, and its app goes on.
    private static let shellPatience = 10.0
}
