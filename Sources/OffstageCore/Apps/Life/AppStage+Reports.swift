// SPDX-License-Identifier: Apache-2.0

/// Reports of the app's process.
extension AppStage {
    mutating func apply(_ report: StageReport, _ turn: inout Turn) {
        guard let run, turn.registration.process != nil else { return }
        switch report {
        // Always kept, because the story lists them if the process is killed.
        case .beganTask(let task): return began(task, &turn)
        case .endedTask(let id): return endedTask(id, &turn)
        // Always kept, too: work that has begun or ended does not begin again.
        case .taskEntered(let number): return apply(reportOf: number, &turn) { $0.enter($1, &$2) }
        case .taskCompleted(let completion):
            return apply(reportOf: completion.number, &turn) { $0.completed($1, success: completion.success, &$2) }
        case .taskUnclaimed(let number): return apply(reportOf: number, &turn) { $0.conclude($1, .noHandler, &$2) }
        case .taskLeftOut(let number): return apply(reportOf: number, &turn) { $0.leftOut($1, &$2) }
        case .taskProgress(let number, let progress): return tasks.progressed(number, progress, &turn)
        default: break
        }
        guard !run.ending.isKilled else { return }
        switch report {
        case .beganTask, .endedTask, .taskEntered, .taskCompleted, .taskUnclaimed, .taskLeftOut, .taskProgress: break
        case .launched: launched(&turn)
        case .state(let state): reached(state, &turn)
        case .expired: expired(&turn)
        case .announced(let session): announced(session, &turn)
        case .handled(let session): handled(session, &turn)
        case .visible(let isVisible): seen(isVisible, .app, &turn)
        case .leftTerminal:
            self.run?.isInTerminal = true
            leftTerminal(&turn)
        case .terminal(let isInFront):
            self.run?.isInTerminal = true
            seen(isInFront, .terminal, &turn)
        case .continued: if run.phase == .stopped, !run.ending.isUnderWay { stopAgain(&turn) }
        case .finishing(let number): self.run?.suspension.isFinishing(number, turn)
        case .readyToSuspend(let number):
            if run.suspension.isAnswered(by: number) { stop(.nothingToDo, &turn) }
        }
    }

    private mutating func launched(_ turn: inout Turn) {
        guard let run, run.phase == .starting, !run.ending.isUnderWay else { return }
        // It was launched in background, so it enters that next.
        self.run?.backgroundAnswers = run.cause.isForeground ? 0 : 1
        if turn.registration.isInForeground || run.cause.isForeground {
            self.run?.isInFront()
            move(to: .inactive, .launched(run.cause), &turn)
            if !run.cause.isForeground { turn.act(.setPriority(isBackground: false)) }
            turn.act(.deliverEvents(session: nil))
            // It was sent away while it was being launched.
            if !turn.registration.isInForeground { goBehind(.person, &turn) }
        } else {
            self.run?.phase = .entering
            self.run?.phaseEnds = turn.uptime + BackgroundTimeProfile.delegateTime
            move(to: .background, .launched(run.cause), &turn)
        }
    }

    private mutating func reached(_ reached: LifeState, _ turn: inout Turn) {
        guard let run, !run.ending.isUnderWay else { return }
        if reached == .background, run.backgroundAnswers > 0 {
            self.run?.backgroundAnswers -= 1
            // It has been to the front and back since.
            guard run.backgroundAnswers == 1, run.phase == .entering else { return }
        }
        switch (run.phase, reached) {
        case (.front, .active), (.front, .inactive): move(to: reached, .app, &turn)
        case (.entering, .background):
            self.run?.phase = .running
            self.run?.phaseEnds = nil
            settle(&turn)
        // It has carried out a command of an earlier daemon or connection.
        case (.front, .background):
            turn.act(.send(.enterForeground))
            move(to: .inactive, .system, &turn)
        case (.running, .active), (.running, .inactive): enterBackground(&turn)
        case (.stopped, .active), (.stopped, .inactive): wake(.system, &turn)
        default: break  // sent before it received later commands
        }
    }

    /// The terminal, or the app's own loop, shows or hides it.
    private mutating func seen(_ isSeen: Bool, _ cause: AppEntry.Cause, _ turn: inout Turn) {
        guard let run, !run.ending.isUnderWay else { return }
        self.run?.isSeen = isSeen
        // A person may bring it to the front although another group has its terminal.
        if run.phase == .front, run.isSeen == false, !isSeen, cause == .terminal { return }
        switch (run.phase, isSeen) {
        case (.committing, _), (.spawning, _): break
        case (.starting, true): foreground(&turn)
        case (.starting, false): setPlace(isInForeground: false, &turn)
        case (.front, false): goBehind(cause, &turn)
        case (.leaving, false): enterBackground(&turn)
        case (.leaving, true), (.entering, true), (.running, true), (.stopped, true): comeToFront(cause, &turn)
        case (.stopped, false): stopAgain(&turn)
        case (.front, true), (.entering, false), (.running, false): break
        }
    }

    private mutating func leftTerminal(_ turn: inout Turn) {
        guard let run, !run.ending.isUnderWay, run.phase != .stopped else { return }
        self.run?.isSeen = false
        resumeBehindTerminal(&turn)
        switch run.phase {
        case .committing, .spawning, .starting: setPlace(isInForeground: false, &turn)
        case .front:
            setPlace(isInForeground: false, &turn)
            needs.holdBack(turn)
            self.run?.phase = .leaving
            self.run?.phaseEnds = turn.uptime + AppRun.returnTime
            turn.act(.setPriority(isBackground: true))
            move(to: .background, .terminal, &turn)
        case .leaving, .entering, .running, .stopped: break
        }
    }
}
