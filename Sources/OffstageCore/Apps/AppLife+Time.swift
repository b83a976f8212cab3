// SPDX-License-Identifier: Apache-2.0

/// The times at which something is due.
extension AppLife {
    var earliestDeadline: Double? {
        var earliest = commitDue
        func note(_ time: Double?) {
            guard let time else { return }
            earliest = min(earliest ?? time, time)
        }
        note(delayedUntil)
        guard let run else { return earliest }
        if let kill = run.kill {
            note(kill.again)
            if run.phase == .spawning { note(run.phaseEnds) }
            return earliest
        }
        note(run.look?.due)
        if run.isEnding {
            note(run.endsBy)
            return earliest
        }
        note(run.returnsBy)
        note(settlingDue)
        if isPhaseTimed { note(run.phaseEnds) }
        note(handlingDue)
        note(expiryDue)
        note(workDue)
        note(run.suspension?.until)
        return earliest
    }

    /// A command that the process cannot have received does not count against it.
    private var isPhaseTimed: Bool {
        guard let run else { return false }
        return run.phase != .entering || run.isAttached
    }

    private var handlingDue: Double? {
        guard let run, run.isAttached, run.phase == .entering || run.phase == .running else { return nil }
        return run.handling.lazy.filter { $0.endsBy == nil }.map(\.until).min()
    }

    mutating func timeIsUp(_ turn: inout Turn) {
        if let nextLook, turn.uptime - nextLook > Self.lateness {
            let late = turn.uptime - nextLook
            // The app's present work gets a moment more.
            makeUp(for: late + min(late, 1), &turn)
        }
        if isDue(commitDue, turn) { turn.persists = true }
        if isDue(delayedUntil, turn) {
            delayedUntil = nil
            meetNeeds(&turn)
        }
        guard let run else { return }
        if let kill = run.kill {
            if isDue(kill.again, turn) { orderKill(&turn) }
            if run.phase == .spawning, isDue(run.phaseEnds, turn) { phaseIsOver(&turn) }
            return
        }
        if isDue(run.look?.due, turn) { orderAgain(&turn) }
        if run.isEnding {
            if isDue(run.endsBy, turn) {
                kill(.terminateTooLong(seconds: BackgroundTimeProfile.delegateTime), &turn)
            }
            return
        }
        if isDue(run.returnsBy, turn) { return didNotReturn(&turn) }
        if isPhaseTimed, isDue(run.phaseEnds, turn) { phaseIsOver(&turn) }
        if isDue(settlingDue, turn) { settlingIsOver(&turn) }
        if isDue(handlingDue, turn) { handlingIsOver(&turn) }
        if isDue(expiryDue, turn) { expiryIsDue(&turn) }
        if isDue(workDue, turn) { worksAreDue(&turn) }
        reviewSuspension()
        if isDue(self.run?.suspension?.until, turn) { suspensionIsDue(&turn) }
    }

    /// Seconds by which an alarm may be late. If it is later, the daemon did not run, and the app probably did not,
    /// either.
    private static let lateness = 0.1

    /// Time in which the app did not run does not count against it.
    mutating func makeUp(for pause: Double, _ turn: inout Turn) {
        guard var run else { return }
        run.phaseEnds = run.phaseEnds.map { $0 + pause }
        run.returnsBy = run.returnsBy.map { $0 + pause }
        run.endsBy = run.endsBy.map { $0 + pause }
        run.timeEnds = run.timeEnds.map { $0 + pause }
        if case .called(let until) = run.expiry { run.expiry = .called(until: until + pause) }
        for index in run.handling.indices {
            run.handling[index].until += pause
            run.handling[index].endsBy = run.handling[index].endsBy.map { $0 + pause }
        }
        self.run = run
        shiftWorks(by: pause)
        guard let ends = timeEnds, run.isAttached, !run.isEnding else { return }
        turn.act(.tell(.backgroundTime(ends: ends)))
    }

    /// The connection is lost for good: an app that sends no reports has nothing to do.
    private mutating func didNotReturn(_ turn: inout Turn) {
        guard let run else { return }
        takeBackNeeds(run.handling)
        endWorks(.lost, &turn)
        self.run?.handling = []
        self.run?.tasks = []
        self.run?.lapsed = []
        self.run?.returnsBy = nil
        self.run?.phaseEnds = nil
        self.run?.phase = .running
        if !needs.isEmpty {
            registration.backoff.crashed(at: turn.now)
            turn.persists = true
        }
        settle(&turn)
        meetNeeds(&turn)
    }

    private mutating func phaseIsOver(_ turn: inout Turn) {
        guard let run else { return }
        switch run.phase {
        case .spawning:
            let seconds = Int(BackgroundTimeProfile.launchTime)
            spawnFailed("Its process did not start within \(seconds) s.", isForGood: false, &turn)
        case .starting: kill(.launchTooLong(seconds: BackgroundTimeProfile.launchTime), &turn)
        case .leaving:
            // It runs, and has not reported its state, or it has not been continued yet.
            if run.look == nil { enterBackground(&turn) } else { self.run?.phaseEnds = turn.uptime + Self.returnTime }
        case .entering: kill(.didEnterBackgroundTooLong(seconds: BackgroundTimeProfile.delegateTime), &turn)
        case .committing, .front, .running, .stopped: self.run?.phaseEnds = nil
        }
    }
}
