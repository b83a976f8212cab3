// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Polls processes of apps for changes that nobody reports.
extension AppCenter {
    func addChore(_ kind: AppAgenda.Chore.Kind, for app: SupervisedApp, after seconds: Double) {
        guard let process = app.process?.identity else { return }
        let due = clock.now().uptime + seconds
        agenda.add(AppAgenda.Chore(due: due, kind: kind, app: app.id, process: process))
    }

    func attend(to chore: AppAgenda.Chore) {
        guard let app = apps[chore.app], let stage = app.process, stage.identity == chore.process else { return }
        switch chore.kind {
        case .observe: observe(app, stage)
        case .behindTerminal(let wait): look(behindTerminalOf: app, stage, wait)
        }
    }

    private func observe(_ app: SupervisedApp, _ stage: StageProcess) {
        // A breakpoint is no stop of ours: it is looked at again for as long as it is to be stopped.
        if host.tracer(of: stage.identity.number) != nil { return tell(.observed(isStopped: false), to: app) }
        if stage.leadsGroup {
            if let isStopped = control.isStopped(leader: stage) { tell(.observed(isStopped: isStopped), to: app) }
            return
        }
        let target = stage.target
        loop.startTask {
            let isStopped = await control.isStopped(target)
            if app.process === stage, let isStopped { tell(.observed(isStopped: isStopped), to: app) }
        }
    }

    /// Lets an app that stops itself at Ctrl-Z continue behind its shell.
    func resumeBehindTerminal(_ app: SupervisedApp) {
        // A second request is still the same wait.
        guard let stage = app.process, !agenda.looksBehindTerminal(app.id) else { return }
        look(behindTerminalOf: app, stage, ShellWait(from: clock.now().uptime))
    }

    private func look(behindTerminalOf app: SupervisedApp, _ stage: StageProcess, _ wait: ShellWait) {
        // Without a terminal nobody takes it.
        let standing = stage.process.terminalStanding() ?? (stage.process.isStopped() ?? false, isInFront: false)
        switch wait.step(isStopped: standing.isStopped, isInFront: standing.isInFront, at: clock.now().uptime) {
        case .resume: control.resume(stage)
        case .lookAgain(let seconds, let wait): addChore(.behindTerminal(wait), for: app, after: seconds)
        case .giveUp: break
        }
    }
}
