// SPDX-License-Identifier: Apache-2.0

/// The process: its start, its loss and return, and its end.
extension AppLife {
    /// There is no process. The token becomes durable before the launch, so that no daemon starts a second one.
    mutating func start(_ cause: LaunchCause, token: String, _ turn: inout Turn) {
        switch cause {
        case .person, .personInBackground:
            registration.isQuit = false
            forgive(&turn)
        case .task: break
        case .sessionEvents: if policy.isStrict { registration.backoff.woken(at: turn.now) }
        }
        delayedUntil = nil
        registration.launchToken = token
        setStage(isInForeground: cause.isForeground, &turn)
        run = Run(.committing, cause: cause)
        turn.record(.launching(cause))
        turn.persists = true
        state = .launching
    }

    mutating func spawn(_ turn: inout Turn) {
        guard let cause = run?.cause, let token = registration.launchToken else { return }
        run?.phase = .spawning
        run?.phaseEnds = turn.uptime + BackgroundTimeProfile.launchTime
        turn.act(.spawn(cause, token: token))
    }

    mutating func spawned(_ identity: ProcessIdentity, _ turn: inout Turn) {
        if let process, process == identity {
            registration.process?.isChild = true
            turn.persists = true
            return
        }
        guard registration.process == nil else { return }
        // Nil if an earlier daemon started it, and this one has found it.
        var run = self.run ?? Run(.spawning, cause: registration.isInForeground ? .person : .personInBackground)
        guard run.phase == .spawning else { return }
        registration.process = AppRegistration.Process(identity: identity, bootID: turn.now.bootID, isChild: true)
        turn.persists = true
        run.phase = .starting
        // A program that a person started and that never connects is a plain one.
        run.phaseEnds = run.cause.isForeground ? nil : turn.uptime + BackgroundTimeProfile.launchTime
        self.run = run
        state = .launching
        turn.act(.setPriority(isBackground: !run.cause.isForeground))
        // The commit may have come before there was a process to kill.
        if run.kill != nil, commitDue == nil { orderKill(&turn) }
    }

    mutating func spawnFailed(_ reason: String, isForGood: Bool, _ turn: inout Turn) {
        guard let run, run.phase == .spawning else { return }
        turn.record(.launchFailed(reason))
        if !run.cause.isForeground, run.kill == nil { registration.backoff.crashed(at: turn.now) }
        leave(run, .spawnFailed(reason, isForGood: isForGood), &turn)
    }

    mutating func disconnected(_ turn: inout Turn) {
        guard let run, run.isAttached else { return }
        self.run?.isAttached = false
        worksLostConnection(turn)
        if run.runsInBackground { self.run?.returnsBy = turn.uptime + Self.returnTime }
    }

    mutating func ended(_ end: ProcessEnd, _ turn: inout Turn) {
        guard let run, registration.process != nil else { return }
        turn.record(.ended(end))
        if endedBadly(run, end) { registration.backoff.crashed(at: turn.now) }
        leave(run, .process(end), &turn)
    }

    /// Whether it would probably end the same way if it were launched for its sessions.
    private func endedBadly(_ run: Run, _ end: ProcessEnd) -> Bool {
        switch run.kill?.reason {
        case .backgroundTimeOver, .didEnterBackgroundTooLong, .eventsTooLong, .launchTooLong, .taskTooLong: return true
        case .terminateTooLong, .memoryPressure, .terminated, .quit, .replaced: return false
        case nil: break
        }
        guard run.endsBy == nil else { return false }
        switch run.phase {
        case .committing, .spawning, .starting: return !run.cause.isForeground
        case .leaving, .entering, .running:
            return end.isCrash || run.handling.contains { $0.endsBy == nil } || works.contains { !$0.hasEntered }
        case .front, .stopped: return false
        }
    }

    /// The process has ended; everything that waited for that comes next.
    private mutating func leave(_ run: Run, _ end: WorksEnd, _ turn: inout Turn) {
        endWorks(end, &turn)
        self.run = nil
        state = .terminated
        registration.process = nil
        registration.launchToken = nil
        turn.persists = true
        setStage(isInForeground: false, &turn)
        takeBackNeeds(run.handling)
        needs += run.unheard.filter { !needs.contains($0) }
        if let newcomer = run.newcomer {
            attached(newcomer.identity, newcomer.view, &turn)
        } else if let cause = run.wantedAgain {
            turn.launches = cause
        } else if let ends = run.handling.compactMap(\.endsBy).max(), ends > turn.uptime, !registration.isQuit {
            // The events of its called completion handler may be settled, so there is no hurry.
            delayedUntil = ends
        } else {
            meetNeeds(&turn)
        }
    }

    mutating func kill(_ reason: AppEntry.KillReason, _ turn: inout Turn) {
        guard let run, run.kill == nil else { return }
        self.run?.kill = Run.Kill(reason: reason)
        turn.record(.killed(reason))
        turn.persists = true
    }

    /// Its record is durable.
    mutating func orderKill(_ turn: inout Turn) {
        guard registration.process != nil, var kill = run?.kill else { return }
        turn.act(.kill)
        kill.again = turn.uptime + kill.delay
        kill.delay = min(kill.delay * 2, 5)
        run?.kill = kill
    }
}
