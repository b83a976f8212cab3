// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Carries out the actions of `AppLife`, case by case.
extension AppCenter {
    func perform(_ action: AppAction, for app: SupervisedApp) {
        switch action {
        case .spawn(let cause, let token):
            if case .sessionEvents = cause { sessions.withhold(from: app) }
            spawn(app, token: token)
        case .send(let command):
            if case .handleEvents(let session, _) = command { sessions.notified(app, session: session) }
            // A disconnected process receives missed commands when it attaches again.
            if let connection = app.process?.connection { stages.send(command, to: connection) }
        case .stop: stop(app)
        case .resume:
            app.process?.isStoppedBehind = false
            // An unnecessary signal would cause one more stop in its debugger.
            if app.process?.isSpared == true, isDebugged(app) { return }
            app.process.map(control.resume)
        case .resumeBehindTerminal: watch.resumeBehindTerminal(app)
        case .kill: app.process.map(control.kill)
        case .observe(let seconds): watch.observe(app, after: seconds)
        case .setPriority(let isBackground): app.process.map { control.setPriority($0, isBackground: isBackground) }
        case .record(let entry):
            records.add(completed(entry, of: app), to: app)
            if case .handledEvents(let session) = entry.happening { sessions.handled(app, session: session) }
        case .persist: persist(app)
        case .cancelTransfers: cancelTransfers(of: app)
        case .deliverEvents(let session): sessions.deliver(to: app, session: session)
        case .taskNotice(let notice): work.task?(notice, app.id)
        case .refuseSecondProcess(let identity):
            if app.newcomer?.stage.identity == identity { app.newcomer?.isRefused = true }
        }
    }

    private func stop(_ app: SupervisedApp) {
        let isInFront = app.process?.process.terminalStanding()?.isInFront
        if isInFront == true, isMeantBehind(app) { return send(.report(.terminal(isInFront: true)), to: app) }
        app.process?.isStoppedBehind = isInFront == false
        if isDebugged(app) {
            app.process?.isSpared = true
            return
        }
        app.process?.isSpared = false
        sessions.withhold(from: app)
        app.process.map(control.stop)
        sessions.acceptUnannounced(of: app)
    }

    /// Whether the app should be behind its terminal. If its group is in front nevertheless, the shell's `fg` was
    /// faster than the daemon and the app's own check. If it were stopped now, the app would be a stopped job again,
    /// and the shell would take the terminal back.
    ///
    /// For an app that began behind its terminal, no terminal is known yet: its position when it was stopped counts. A
    /// group in front alone proves nothing, because a shell without job control leaves it there.
    private func isMeantBehind(_ app: SupervisedApp) -> Bool {
        app.life.isBehindTerminal || app.process?.isStoppedBehind == true
    }

    /// Whether a debugger holds the app's process. A person may look at it for as long as they want.
    func isDebugged(_ app: SupervisedApp) -> Bool { watch.isDebugged(app) }

    // MARK: Its transfers

    /// Adds the number of cancelled transfers, which is only known here.
    private func completed(_ entry: AppEntry, of app: SupervisedApp) -> AppEntry {
        guard case .quit = entry.happening, app.isCancelling else { return entry.abbreviated }
        var entry = entry
        entry.happening = .quit(cancelledTransfers: sessions.outstanding(of: app.id))
        return entry
    }

    private func cancelTransfers(of app: SupervisedApp) {
        app.isCancelling = true
        let (id, process) = (app.id, app.life.registration.process?.identity)
        loop.startTask {
            app.cancelled = await sessions.cancelAllForQuit(id, ending: process)
            app.isCancelling = false
            waiting.happened(to: app)
            // The next daemon repeats this unless all of it is durable.
            let isWhole = await sessions.restIsCancelled(of: id)
            // If the app is quit again in the meantime, waits again.
            if isWhole, !app.isCancelling { send(.transfersCancelled, to: app) }
        }
    }
}
