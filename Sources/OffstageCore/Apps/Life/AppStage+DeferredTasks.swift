// SPDX-License-Identifier: Apache-2.0

/// Deferred work that the app runs or should run.
extension AppStage {
    /// The reason why it cannot be launched or woken for deferred work.
    func hold(_ registration: AppRegistration, at now: Moment) -> AppHold? {
        if registration.isQuit { return .quit }
        if isEnding { return .ending }
        guard run == nil || run?.phase == .stopped else { return nil }
        let pause = registration.backoff.pause(at: now, isStrict: false)
        return pause > 0 ? .backedOff(until: now.uptime + pause, crashes: registration.backoff.crashes) : nil
    }

    private func reasonNotToStart(_ turn: Turn) -> String? {
        switch hold(turn.registration, at: turn.now) {
        case nil: nil
        case .quit: "A person has quit its app."
        case .ending: "Its app's process was being ended."
        case .backedOff(_, crashes: 1): "Its app has just ended too early."
        case .backedOff(_, let crashes): "Its app ended too early \(crashes) times in a row."
        }
    }

    // MARK: Requests of the schedule

    mutating func startTask(_ launch: TaskLaunch, _ turn: inout Turn) {
        guard !claim(launch, &turn) else { return }
        if let reason = reasonNotToStart(turn) {
            return turn.act(.taskNotice(.returned(launch.number, reason)))
        }
        tasks.add(launch, turn)
        runInBackground(.task(launch.identifier), &turn)
    }

    /// An earlier daemon started it, in the present process or in one that has ended.
    mutating func resumeTask(_ launch: TaskLaunch, _ turn: inout Turn) {
        guard !claim(launch, &turn) else { return }
        guard turn.process != nil, !isAttached else {
            return turn.act(.taskNotice(.returned(launch.number, TasksUnderWay.unknownEnd)))
        }
        tasks.addDoubtful(launch, turn)
        // It sends no report while it is stopped.
        if run?.phase == .stopped { launchForTask(launch.identifier, &turn) }
    }

    /// The schedule requests a task that is already under way, or completed.
    private mutating func claim(_ launch: TaskLaunch, _ turn: inout Turn) -> Bool {
        let before = backgroundEnds
        let isKnown = tasks.claim(launch, isAttached: isAttached, &turn)
        sendTime(unless: before, &turn)
        return isKnown
    }

    /// Launches or wakes the app for a task; does nothing if it runs, or may not run.
    mutating func launchForTask(_ identifier: String, _ turn: inout Turn) {
        if reasonNotToStart(turn) == nil { runInBackground(.task(identifier), &turn) }
    }

    mutating func expireTask(_ number: UInt64, _ expiry: TaskExpiry, _ turn: inout Turn) {
        guard let index = tasks.index(of: number), tasks.all[index].expiry == nil else { return }
        guard tasks.all[index].isTold else {
            tasks.concludeUnbegun(index, expiry, &turn)
            return settleWithoutWork(&turn)
        }
        guard !isEnding else { return }
        let before = backgroundEnds
        tasks.expire(index, expiry, until: turn.uptime + TasksUnderWay.endingTime(turn.policy), &turn)
        sendTime(unless: before, &turn)
    }

    // MARK: Messages to the process

    /// Sends the tasks that it has not received yet, as soon as `didFinishLaunching` has returned.
    mutating func sendTasks(_ turn: inout Turn) {
        guard tasks.hasUntold, let run, run.isAttached, !run.ending.isUnderWay else { return }
        switch run.phase {
        case .front, .entering, .running: break
        case .committing, .spawning, .starting, .leaving, .stopped: return
        }
        let before = backgroundEnds
        tasks.send(&turn)
        sendTime(unless: before, &turn)
    }

    private mutating func sendTime(unless before: Double?, _ turn: inout Turn) {
        guard let run, run.isTimed, !run.ending.isUnderWay, let ends = backgroundEnds, ends != before else { return }
        turn.act(.send(.backgroundTime(ends: ends)))
    }

    // MARK: Messages from the process

    /// A report about a task is always accepted, because it counts if the process ends.
    mutating func apply(
        reportOf number: UInt64,
        _ turn: inout Turn,
        _ step: (inout TasksUnderWay, _ index: Int, inout Turn) -> Void
    ) {
        guard let index = tasks.index(of: number) else { return }
        let before = backgroundEnds
        step(&tasks, index, &turn)
        guard turn.hasEndedWork else { return }
        settleWithoutWork(&turn)
        sendTime(unless: before, &turn)
    }

    /// Deferred work has ended. It may have been the last hold.
    mutating func settleWithoutWork(_ turn: inout Turn) {
        keepWarning(&turn)
        settle(&turn)
    }

    /// The background tasks shared the time of the work that has ended, and are not late.
    mutating func keepWarning(_ turn: inout Turn) {
        guard turn.hasEndedWork else { return }
        turn.hasEndedWork = false
        run?.time.keepWarning(turn)
    }

    // MARK: Times

    mutating func tasksAreDue(_ turn: inout Turn) {
        for number in tasks.numbers {
            guard let index = tasks.index(of: number), turn.isDue(tasks.all[index].due(run, turn.policy)) else {
                continue
            }
            if let reason = tasks.isDue(index, run, &turn) { return kill(reason, &turn) }
            if turn.hasEndedWork { settleWithoutWork(&turn) }
        }
    }
}
