// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Polls processes of apps for changes without notifications: whether one has been stopped, whether a shell has taken
/// the terminal from one that stopped itself, and whether a debugger holds one.
///
/// `@unchecked Sendable`: belongs to the loop, as does `AppAgenda`, which schedules the checks.
final class ProcessWatch: @unchecked Sendable {
    private let loop: EventLoop
    private let clock: SystemClock
    private let host: any ProcessHost
    private let control: ProcessControl
    private let agenda: AppAgenda
    private let records: AppRecords
    private var tell: @Sendable (AppEvent, _ app: String) -> Void = { _, _ in }

    /// - Parameters:
    ///   - loop: the daemon's loop.
    ///   - clock: the loop's clock.
    ///   - host: the host of the apps' processes.
    ///   - control: inspects and continues processes.
    ///   - agenda: stores the checks that are due later.
    ///   - records: writes debuggers to the app's story.
    init(
        loop: EventLoop,
        clock: SystemClock,
        host: any ProcessHost,
        control: ProcessControl,
        agenda: AppAgenda,
        records: AppRecords
    ) {
        self.loop = loop
        self.clock = clock
        self.host = host
        self.control = control
        self.agenda = agenda
        self.records = records
    }

    /// - Parameter tell: passes observations to an app's rule; called on the loop.
    func start(_ tell: @escaping @Sendable (AppEvent, _ app: String) -> Void) { self.tell = tell }

    // MARK: Whether it is stopped

    /// Reports after a number of seconds whether the app's process is stopped, unless the app has another one by then.
    func observe(_ app: SupervisedApp, after seconds: Double) { add(.observe, for: app, after: seconds) }

    /// Lets an app that stops itself at Ctrl-Z continue behind its shell.
    func resumeBehindTerminal(_ app: SupervisedApp) {
        // A second request belongs to the same wait.
        guard let stage = app.process, !agenda.looksBehindTerminal(app.id) else { return }
        look(behindTerminalOf: app, stage, ShellWait(from: clock.now().uptime))
    }

    /// Performs a check that is due, unless the app has another process by now.
    func attend(to chore: AppAgenda.Chore, of app: SupervisedApp) {
        guard let stage = app.process, stage.identity == chore.process else { return }
        switch chore.kind {
        case .observe: observe(app, stage)
        case .behindTerminal(let wait): look(behindTerminalOf: app, stage, wait)
        }
    }

    private func observe(_ app: SupervisedApp, _ stage: StageProcess) {
        // A breakpoint is not one of our stops: the process is checked again for as long as it should be stopped.
        if host.tracer(of: stage.identity.number) != nil { return tell(.observed(isStopped: false), app.id) }
        if stage.leadsGroup {
            if let isStopped = control.isStopped(leader: stage) { tell(.observed(isStopped: isStopped), app.id) }
            return
        }
        let target = stage.target
        let seen = LoopOwned((app: app, stage: stage), loop: loop)
        loop.startTask {
            let isStopped = await control.isStopped(target)
            let (app, stage) = seen.value
            if app.process === stage, let isStopped { tell(.observed(isStopped: isStopped), app.id) }
        }
    }

    private func look(behindTerminalOf app: SupervisedApp, _ stage: StageProcess, _ wait: ShellWait) {
        // Without a terminal no shell takes it.
        let standing = stage.process.terminalStanding() ?? (stage.process.isStopped() ?? false, isInFront: false)
        switch wait.step(isStopped: standing.isStopped, isInFront: standing.isInFront, at: clock.now().uptime) {
        case .resume: control.resume(stage)
        case .lookAgain(let seconds, let wait): add(.behindTerminal(wait), for: app, after: seconds)
        case .giveUp: break
        }
    }

    private func add(_ kind: AppAgenda.Chore.Kind, for app: SupervisedApp, after seconds: Double) {
        guard let process = app.process?.identity else { return }
        let due = clock.now().uptime + seconds
        agenda.add(AppAgenda.Chore(due: due, kind: kind, app: app.id, process: process))
    }

    // MARK: Debuggers

    /// Whether a debugger holds the app's process. A person may look at it for as long as they want.
    func isDebugged(_ app: SupervisedApp) -> Bool {
        guard let stage = app.process else { return false }
        let tracer = host.tracer(of: stage.identity.number)
        if let tracer, stage.debugger != tracer {
            records.add(AppEntry(at: clock.now(), .debugged(by: tracer)), to: app)
        }
        stage.debugger = tracer
        return tracer != nil
    }
}
