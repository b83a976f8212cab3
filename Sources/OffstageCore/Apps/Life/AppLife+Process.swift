// SPDX-License-Identifier: Apache-2.0

/// The process: its start and its end.
extension AppLife {
    /// There is no process. The token becomes durable before the launch, so that no later daemon starts a second
    /// process.
    mutating func start(_ cause: LaunchCause, token: String, _ turn: inout Turn) {
        switch cause {
        case .person, .personInBackground:
            turn.registration.isQuit = false
            stage.forgive(&turn)
        case .task: break
        case .sessionEvents: if turn.policy.isStrict { turn.registration.backoff.woken(at: turn.now) }
        }
        stage.needs.postpone(until: nil)
        turn.registration.launchToken = token
        stage.setPlace(isInForeground: cause.isForeground, &turn)
        stage.begin(AppRun(.committing, cause: cause), .launching)
        turn.record(.launching(cause))
        turn.persists = true
    }

    mutating func spawn(_ turn: inout Turn) {
        guard let cause = stage.run?.cause, let token = turn.registration.launchToken else { return }
        stage.run?.phase = .spawning
        stage.run?.limitLaunch(turn)
        turn.act(.spawn(cause, token: token))
    }

    mutating func spawned(_ identity: ProcessIdentity, _ turn: inout Turn) {
        if turn.process == identity {
            turn.registration.process?.isChild = true
            turn.persists = true
            return
        }
        guard turn.registration.process == nil else { return }
        // Nil if an earlier daemon started it, and this one has found it.
        let found: LaunchCause = turn.registration.isInForeground ? .person : .personInBackground
        var run = stage.run ?? AppRun(.spawning, cause: found)
        guard run.phase == .spawning else { return }
        turn.registration.process = AppRegistration.Process(identity: identity, bootID: turn.now.bootID, isChild: true)
        turn.persists = true
        run.phase = .starting
        // A program that a person started and that never connects is a plain one.
        if run.cause.isForeground { run.phaseEnds = nil } else { run.limitLaunch(turn) }
        stage.begin(run, .launching)
        turn.act(.setPriority(isBackground: !run.cause.isForeground))
        // The commit may have come before there was a process to kill.
        if commitDue == nil { stage.run?.ending.orderKill(&turn) }
    }

    mutating func spawnFailed(_ reason: String, isForGood: Bool, _ turn: inout Turn) {
        guard let run = stage.run, run.phase == .spawning else { return }
        turn.record(.launchFailed(reason))
        if !run.cause.isForeground, !run.ending.isKilled { turn.registration.backoff.crashed(at: turn.now) }
        leave(run, .spawnFailed(reason, isForGood: isForGood), &turn)
    }

    mutating func ended(_ end: ProcessEnd, _ turn: inout Turn) {
        guard let run = stage.run, turn.registration.process != nil else { return }
        turn.record(.ended(end))
        let isBad = stage.endedBadly(end)
        if isBad { turn.registration.backoff.crashed(at: turn.now) }
        leave(run, .process(end), wasInVain: !isBad && stage.endedInVain, &turn)
    }

    /// The process has ended. Everything that waited for its end comes next.
    private mutating func leave(
        _ run: AppRun,
        _ end: TasksUnderWay.End,
        wasInVain: Bool = false,
        _ turn: inout Turn
    ) {
        let settlingEnds = stage.needs.lastSettling ?? turn.uptime
        stage.tasks.end(end, &turn)
        stage.needs.processIsGone()
        stage.needs.restoreMissed()
        stage.clear()
        turn.registration.process = nil
        turn.registration.launchToken = nil
        turn.persists = true
        stage.setPlace(isInForeground: false, &turn)
        if let newcomer = run.ending.newcomer {
            attached(newcomer.identity, newcomer.view, &turn)
        } else if let cause = run.ending.wantedAgain {
            turn.launches = cause
        } else if wasInVain, !stage.needs.waiting.isEmpty, !turn.registration.isQuit {
            // The records that it wrote before its end decide.
            let until = settlingEnds > turn.uptime ? settlingEnds : turn.uptime + SessionNeeds.settlingTime
            stage.needs.postpone(until: until, isInDoubt: true)
        } else if settlingEnds > turn.uptime, !turn.registration.isQuit {
            // The events of its called completion handler may be settled, so there is no hurry.
            stage.needs.postpone(until: settlingEnds)
        } else {
            stage.meetNeeds(&turn)
        }
    }
}
