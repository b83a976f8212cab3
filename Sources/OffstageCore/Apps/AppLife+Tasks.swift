// SPDX-License-Identifier: Apache-2.0

/// Background tasks and the time that all of them share.
extension AppLife {
    mutating func began(_ task: BackgroundTask, _ turn: inout Turn) {
        guard let run, !run.tasks.contains(where: { $0.id == task.id }) else { return }
        self.run?.tasks.append(task)
        guard run.kill == nil, !run.isEnding else { return }
        switch run.phase {
        case .committing, .spawning, .starting, .front, .leaving: break
        case .entering, .running: beganBehind(task, &turn)
        case .stopped: goOn(for: task, &turn)
        }
    }

    /// The task was begun before the process was suspended, and the report arrives only now.
    private mutating func goOn(for task: BackgroundTask, _ turn: inout Turn) {
        guard let run else { return }
        if isDue(backgroundEnds, turn), run.hasHadGrace {
            self.run?.lapsed.append(task.id)
            return
        }
        resume(&turn)
        self.run?.phase = .running
        self.run?.expiry = .ahead
        move(to: .background, .openTasks(run.tasks.count + 1), &turn)
        beganBehind(task, &turn)
    }

    private mutating func beganBehind(_ task: BackgroundTask, _ turn: inout Turn) {
        guard var run, let ends = backgroundEnds else { return }
        let warning = policy.time.warning
        if turn.uptime < ends - warning { return }
        if turn.uptime < ends {
            run.expiry = .called(until: ends)
        } else if run.hasHadGrace {
            // Otherwise an app that begins one whenever another expires would run for ever.
            run.lapsed.append(task.id)
            run.expiry = .called(until: turn.uptime + warning)
        } else {
            run.hasHadGrace = true
            run.timeEnds = turn.uptime + warning
            run.expiry = .called(until: turn.uptime + warning)
            turn.act(.tell(.backgroundTime(ends: run.timeEnds)))
        }
        self.run = run
        callExpirationHandlers(&turn)
    }

    private mutating func callExpirationHandlers(_ turn: inout Turn) {
        guard let run else { return }
        turn.act(.tell(.expire))
        turn.record(.expiring(tasks: run.held(at: turn.uptime)))
    }

    mutating func endedTask(_ id: Int, _ turn: inout Turn) {
        run?.tasks.removeAll { $0.id == id }
        run?.lapsed.removeAll { $0 == id }
        settle(&turn)
    }

    mutating func expired(_ turn: inout Turn) {
        guard let run, case .called = run.expiry else { return }
        self.run?.expiry = .returned
        settle(&turn)
    }

    /// When to call the handlers, or to kill the process.
    var expiryDue: Double? {
        guard let run, let ends = backgroundEnds, run.isAttached, run.phase == .entering || run.phase == .running
        else { return nil }
        switch run.expiry {
        case .ahead: return run.hasCountedTasks ? ends - policy.time.warning : nil
        case .called(let until): return until
        case .returned: return run.hasCountedTasks ? ends : nil
        }
    }

    mutating func expiryIsDue(_ turn: inout Turn) {
        guard let run, let ends = backgroundEnds else { return }
        if case .ahead = run.expiry {
            let warning = policy.time.warning
            // If this is late, the handlers still get their full time.
            let until = turn.uptime > ends - warning / 2 ? turn.uptime + warning : ends
            if until > ends {
                self.run?.timeEnds = until
                turn.act(.tell(.backgroundTime(ends: until)))
            }
            self.run?.expiry = .called(until: until)
            callExpirationHandlers(&turn)
            return
        }
        kill(.backgroundTimeOver(seconds: policy.time.taskTime, tasks: run.held(at: turn.uptime)), &turn)
    }
}
