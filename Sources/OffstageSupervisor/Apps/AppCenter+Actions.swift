// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// What `AppLife` asks for, case by case.
extension AppCenter {
    func perform(_ action: AppAction, for app: SupervisedApp) {
        switch action {
        case .spawn(let cause, let token):
            if case .sessionEvents = cause { withhold(app) }
            spawn(app, token: token)
        case .tell(let command):
            if case .handleEvents(let session, _) = command { told(app, session: session) }
            send(command, to: app)
        case .stop:
            let isInFront = app.process?.process.terminalStanding()?.isInFront
            if isInFront == true, isMeantBehind(app) { return tell(.report(.terminal(isInFront: true)), to: app) }
            app.process?.isStoppedBehind = isInFront == false
            if isDebugged(app) {
                app.process?.isSpared = true
                return
            }
            app.process?.isSpared = false
            withhold(app)
            signal(app) { $0.stop(freezer: $1) }
            let id = app.id
            sessions.assumeIsolated { $0.takeInUntold(of: id) }
        case .resume:
            app.process?.isStoppedBehind = false
            // A signal that it does not need would be one more stop at its debugger.
            if app.process?.isSpared == true, isDebugged(app) { return }
            signal(app) { $0.resume(freezer: $1) }
        case .resumeBehindTerminal: resumeBehindTerminal(app)
        case .kill: signal(app) { $0.kill(freezer: $1) }
        case .observe(let seconds): addChore(.observe, for: app, after: seconds)
        case .setPriority(let isBackground): setPriority(app, isBackground: isBackground)
        case .record(let entry):
            record(completed(entry, of: app), of: app)
            if case .handledEvents(let session) = entry.happening { handled(app, session: session) }
        case .persist: persist(app)
        case .cancelTransfers: cancelTransfers(of: app)
        case .deliverEvents(let session): deliver(app, session: session)
        case .taskNotice(let notice): taskSink?(notice, app.id)
        case .refuseSecondProcess(let identity):
            if app.newcomer?.stage.identity == identity { app.newcomer?.isRefused = true }
        }
    }

    // MARK: The app's process

    func signal(
        _ app: SupervisedApp,
        _ body: @escaping @Sendable (SignalTarget, Freezer?) -> Void
    ) {
        guard let stage = app.process else { return }
        let target = stage.target
        if stage.leadsGroup {
            body(target, freezer)
        } else {
            // A walk over `/proc` is nothing for the loop; one thread keeps them in order.
            signals.submit { [freezer] in body(target, freezer) }
        }
    }

    /// Whether the app should be behind its terminal. If its group is in front all the same, the shell's `fg` was faster
    /// than the daemon, and than the app's own look: stopped now, the app would be a stopped job again, and the shell
    /// would take the terminal back.
    ///
    /// One that began behind its terminal is not known to have one yet: it is told by where it was when it was stopped.
    /// That a group is in front says nothing by itself: a shell without job control leaves it there.
    private func isMeantBehind(_ app: SupervisedApp) -> Bool {
        app.life.isBehindTerminal || app.process?.isStoppedBehind == true
    }

    /// Whether a debugger holds the app's process: a person looks at it, for as long as that takes.
    func isDebugged(_ app: SupervisedApp) -> Bool {
        guard let stage = app.process else { return false }
        let tracer = ProcessStatus.tracer(of: stage.identity.number)
        if let tracer, stage.debugger != tracer { record(AppEntry(at: clock.now(), .debugged(by: tracer)), of: app) }
        stage.debugger = tracer
        return tracer != nil
    }

    /// Seconds after which it is looked whether a debugger has let go of an app.
    static let debuggerPause = 1.0

    private func setPriority(_ app: SupervisedApp, isBackground: Bool) {
        guard let stage = app.process else { return }
        let (process, cgroup) = (stage.process, stage.cgroup)
        signals.submit { [freezer] in
            process.setPriority(isBackground: isBackground)
            if let cgroup { freezer?.setWeight(cgroup, isBackground: isBackground) }
        }
    }

    /// A command for the app's process, if that is connected: what one that is not has missed, it is told when it
    /// attaches anew.
    private func send(_ command: StageCommand, to app: SupervisedApp) {
        guard let connection = app.process?.connection else { return }
        if heldCommands[connection] != nil {
            heldCommands[connection]?.append(command)
        } else {
            send?(command, connection)
        }
    }

    // MARK: Its transfers

    /// The number of cancelled transfers is known here alone.
    private func completed(_ entry: AppEntry, of app: SupervisedApp) -> AppEntry {
        guard case .quit = entry.happening, app.isCancelling else { return entry.abbreviated }
        var entry = entry
        entry.happening = .quit(cancelledTransfers: outstanding(of: app.id))
        return entry
    }

    private func cancelTransfers(of app: SupervisedApp) {
        app.isCancelling = true
        let (id, process) = (app.id, app.life.registration.process?.identity)
        loop.startTask {
            app.cancelled = await sessions.cancelAllForQuit(id, ending: process)
            app.isCancelling = false
            happened(to: app)
            // Another daemon does it once more unless all of it is durable.
            let isWhole = await sessions.restIsCancelled(of: id)
            // Quit once more meanwhile, it is waited for again.
            if isWhole, !app.isCancelling { tell(.transfersCancelled, to: app) }
        }
    }

    func withhold(_ app: SupervisedApp) {
        let id = app.id
        let process = app.life.registration.process?.identity
        sessions.assumeIsolated { $0.withhold(id, from: process) }
    }

    func deliver(_ app: SupervisedApp, session: String?) {
        let id = app.id
        sessions.assumeIsolated { $0.deliver(id, session: session) }
    }

    private func told(_ app: SupervisedApp, session: String) {
        let id = app.id
        sessions.assumeIsolated { $0.told(id, session: session) }
    }

    /// The session's completion handler was called: it is called for the same no more.
    private func handled(_ app: SupervisedApp, session: String) {
        let id = app.id
        sessions.assumeIsolated { $0.handled(id, session: session) }
    }

    func outstanding(of app: String) -> Int {
        sessions.assumeIsolated { $0.outstanding(of: app) }
    }
}
