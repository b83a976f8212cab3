// SPDX-License-Identifier: Apache-2.0

/// The times at which something is due for the process.
extension AppStage {
    func earliestDeadline(_ policy: AppLife.Policy) -> Double? {
        guard let run else { return nil }
        let times: [Double?] =
            if run.ending.isKilled {
                [run.ending.killDue, run.phase == .spawning ? run.phaseEnds : nil]
            } else if run.ending.isUnderWay {
                [run.check?.due, run.ending.endsBy]
            } else {
                [
                    run.check?.due, run.returnsBy, needs.settlingDue, run.isPhaseTimed ? run.phaseEnds : nil,
                    handlingDue, expiryDue(policy), tasks.due(run, policy), run.suspension.due,
                ]
            }
        return times.lazy.compactMap { $0 }.min()
    }

    /// When a completion handler is late.
    private var handlingDue: Double? { run?.isTimed == true ? needs.handlingDue : nil }

    /// When to call the expiration handlers, or to kill the process.
    private func expiryDue(_ policy: AppLife.Policy) -> Double? {
        guard let run, run.isTimed, let ends = backgroundEnds else { return nil }
        return run.time.expiryDue(ends: ends, policy)
    }

    mutating func timeIsUp(_ turn: inout Turn) {
        guard let run else { return }
        if run.ending.isKilled {
            if turn.isDue(run.ending.killDue) { self.run?.ending.orderKill(&turn) }
            return
        }
        if turn.isDue(run.check?.due) { orderAgain(&turn) }
        if run.ending.isUnderWay {
            if turn.isDue(run.ending.endsBy) {
                kill(.terminateTooLong(seconds: BackgroundTimeProfile.delegateTime), &turn)
            }
            return
        }
        if turn.isDue(run.returnsBy) { return didNotReturn(&turn) }
        if run.isPhaseTimed, turn.isDue(run.phaseEnds) { phaseIsOver(&turn) }
        if turn.isDue(needs.settlingDue) { settlingIsOver(&turn) }
        if turn.isDue(handlingDue) { handlingIsOver(&turn) }
        if turn.isDue(expiryDue(turn.policy)) { expiryIsDue(&turn) }
        if turn.isDue(tasks.due(self.run, turn.policy)) { tasksAreDue(&turn) }
        reviewSuspension()
        if turn.isDue(self.run?.suspension.due) { suspensionIsDue(&turn) }
    }

    private mutating func expiryIsDue(_ turn: inout Turn) {
        guard let ends = backgroundEnds, let run else { return }
        guard self.run?.time.expiryIsDue(ends: ends, &turn) == true else { return }
        kill(.backgroundTimeOver(seconds: turn.policy.time.taskTime, tasks: run.time.held(at: turn.uptime)), &turn)
    }

    private mutating func phaseIsOver(_ turn: inout Turn) {
        guard let run else { return }
        switch run.phase {
        case .starting: kill(.launchTooLong(seconds: BackgroundTimeProfile.launchTime), &turn)
        case .leaving:
            // It runs, and has not reported its state, or it has not been continued yet.
            guard run.check != nil else { return enterBackground(&turn) }
            self.run?.phaseEnds = turn.uptime + AppRun.returnTime
        case .entering: kill(.didEnterBackgroundTooLong(seconds: BackgroundTimeProfile.delegateTime), &turn)
        case .committing, .spawning, .front, .running, .stopped: self.run?.phaseEnds = nil
        }
    }

    /// Time during which the app did not run does not count against it.
    mutating func makeUp(for pause: Double, _ turn: inout Turn) {
        // No sum of such pauses is infinite, so no difference of two deadlines is NaN.
        let pause = min(pause, Self.longestPause)
        guard run != nil, pause > 0 else { return }
        run?.makeUp(for: pause)
        needs.makeUp(for: pause)
        tasks.makeUp(for: pause)
        guard let ends = timeEnds, isAttached, !isEnding else { return }
        turn.act(.send(.backgroundTime(ends: ends)))
    }

    /// Seconds; a century.
    private static let longestPause = 3.2e9

    /// The end of its time in background; nil while it is in front or does not run.
    var timeEnds: Double? { state == .background || state == .launching ? backgroundEnds : nil }
}
