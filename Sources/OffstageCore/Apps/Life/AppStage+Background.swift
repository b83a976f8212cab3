// SPDX-License-Identifier: Apache-2.0

/// Entering the background, having time there, being suspended, and returning to the front.
extension AppStage {
    /// From the front to the background.
    mutating func goBehind(_ cause: AppEntry.Cause, _ turn: inout Turn) {
        setPlace(isInForeground: false, &turn)
        needs.holdBack(turn)
        enterBackground(&turn)
        turn.act(.setPriority(isBackground: true))
        move(to: .background, cause, &turn)
    }

    /// A new budget begins, and the app is notified.
    mutating func enterBackground(_ turn: inout Turn) {
        guard var run else { return }
        let ends = turn.uptime + turn.policy.time.taskTime
        run.time.begin(until: ends)
        run.phase = .entering
        run.phaseEnds = turn.uptime + BackgroundTimeProfile.delegateTime
        needs.renewTime(turn)
        if run.isAttached {
            run.backgroundAnswers += 1
            turn.act(.send(.enterBackground(timeEnds: tasks.backgroundEnds(ends))))
        } else {
            run.returnsBy = turn.uptime + AppRun.returnTime
        }
        self.run = run
    }

    mutating func comeToFront(_ cause: AppEntry.Cause, _ turn: inout Turn) {
        guard let phase = run?.phase else { return }
        if phase == .stopped { resume(&turn) }
        if phase == .leaving, cause != .terminal { resumeBehindTerminal(&turn) }
        needs.forgetUnheard()
        run?.isInFront()
        run?.returnsBy = nil
        if isAttached { turn.act(.send(.enterForeground)) }
        turn.act(.setPriority(isBackground: false))
        turn.act(.deliverEvents(session: nil))
        move(to: .inactive, cause, &turn)
        setPlace(isInForeground: true, &turn)
        forgive(&turn)
    }

    /// Launches the app in background, or wakes it; does nothing if it runs.
    mutating func runInBackground(_ cause: LaunchCause, _ turn: inout Turn) {
        switch run?.phase {
        case nil: turn.launches = turn.launches ?? cause
        case .stopped:
            turn.record(.woken(cause))
            wake(.launched(cause), &turn)
        case .committing, .spawning, .starting, .front, .leaving, .entering, .running: break
        }
    }

    /// A suspended app runs in background: for its sessions, or because a person wants it.
    mutating func wake(_ cause: AppEntry.Cause, _ turn: inout Turn) {
        resume(&turn)
        enterBackground(&turn)
        move(to: .background, cause, &turn)
        needs.restoreMissed()
        if isAttached { notifyOfNeeds(&turn) }
    }

    mutating func stop(_ cause: AppEntry.Cause, _ turn: inout Turn) {
        stopAgain(&turn)
        run?.isStopped()
        needs.slim()
        move(to: .suspended, cause, &turn)
        if isAttached { wentWell(&turn) }
    }

    /// A run in background was useful.
    mutating func wentWell(_ turn: inout Turn) {
        guard turn.registration.backoff.crashes > 0 else { return }
        turn.registration.backoff.wentWell()
        turn.persists = true
    }

    /// An app that is being launched in background should be in front.
    mutating func turnLaunchToFront(_ turn: inout Turn) {
        setPlace(isInForeground: true, &turn)
        forgive(&turn)
        guard let run, !run.isAttached, !run.cause.isForeground else { return }
        // It does not know yet why it was launched. The cause is now the person.
        self.run?.cause = .person
        if run.phase == .starting {
            self.run?.phaseEnds = nil
            turn.act(.setPriority(isBackground: false))
        }
    }

    // MARK: Signals

    mutating func resume(_ turn: inout Turn) {
        let check = SignalCheck(stopping: false, replacing: run?.check, &turn)
        run?.check = check
    }

    /// A process that has stopped itself continues when its shell has noticed that.
    mutating func resumeBehindTerminal(_ turn: inout Turn) { run?.check = .behindTerminal(&turn) }

    /// It should be stopped, but has sent a report: another process has continued it.
    mutating func stopAgain(_ turn: inout Turn) {
        let check = SignalCheck(stopping: true, replacing: run?.check, &turn)
        run?.check = check
    }

    mutating func observed(isStopped: Bool, _ turn: inout Turn) {
        guard let run, let check = run.check, !run.ending.isKilled else { return }
        self.run?.check = check.seen(isStopped: isStopped, shouldBeStopped: run.phase == .stopped, &turn)
    }

    /// The observation is overdue.
    mutating func orderAgain(_ turn: inout Turn) {
        guard let run, let check = run.check else { return }
        self.run?.check = check.again(shouldBeStopped: run.phase == .stopped, &turn)
    }
}

/// Background tasks.
extension AppStage {
    mutating func began(_ task: BackgroundTask, _ turn: inout Turn) {
        guard run?.time.add(task) == true, let run, !run.ending.isUnderWay else { return }
        switch run.phase {
        case .committing, .spawning, .starting, .front, .leaving: break
        case .entering, .running: beganBehind(task, &turn)
        case .stopped: goOn(for: task, &turn)
        }
    }

    /// The task was begun before the process was suspended, and the report arrives only now.
    private mutating func goOn(for task: BackgroundTask, _ turn: inout Turn) {
        guard let run else { return }
        if turn.isDue(backgroundEnds), run.time.hasHadGrace {
            self.run?.time.lapse(task)
            return
        }
        resume(&turn)
        self.run?.phase = .running
        self.run?.time.goOn()
        move(to: .background, .openTasks(run.time.tasks.count), &turn)
        beganBehind(task, &turn)
    }

    private mutating func beganBehind(_ task: BackgroundTask, _ turn: inout Turn) {
        guard let ends = backgroundEnds else { return }
        run?.time.began(task, ends: ends, &turn)
    }

    mutating func endedTask(_ id: Int, _ turn: inout Turn) {
        run?.time.ended(id)
        settle(&turn)
    }

    /// The expiration handlers have returned.
    mutating func expired(_ turn: inout Turn) {
        if run?.time.handlersReturned() == true { settle(&turn) }
    }
}
