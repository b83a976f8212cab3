// SPDX-License-Identifier: Apache-2.0

/// The connections of the app's process.
extension AppStage {
    /// The app's process is connected, or connected again.
    mutating func attached(_ view: StageView, _ turn: inout Turn) {
        guard run != nil, let process = turn.process else { return }
        run?.attached(view)
        if !turn.registration.hasAttached {
            turn.registration.hasAttached = true
            turn.persists = true
        }
        needs.attached(unhandled: view.unhandled, turn)
        if turn.registration.launchToken != nil {
            turn.registration.launchToken = nil
            // Its tasks must not be cancelled for the earlier quit, even by the next daemon.
            if !turn.registration.isQuit { turn.registration.owesCancellation = false }
            turn.persists = true
        }
        turn.record(.attached(process: process.number))
        tasks.attached(view, isEnding: isEnding, &turn)
        keepWarning(&turn)
        guard let ending = run?.ending, !ending.isKilled else { return }
        if ending.endsBy != nil { return turn.act(.send(.terminate)) }
        if let isInFront = view.isToBeInFront, view.state != nil { setPlace(isInForeground: isInFront, &turn) }
        guard let seen = view.state else { return attachedBeforeLaunch(&turn) }
        place(seen, view.timeEnds, &turn)
    }

    private mutating func attachedBeforeLaunch(_ turn: inout Turn) {
        guard let run else { return }
        // It cannot have been launched, whatever an earlier daemon assumed.
        if run.phase == .stopped { resume(&turn) }
        self.run?.phase = .starting
        if !run.cause.isForeground {
            self.run?.time.beginLaunch(turn)
            if run.phase != .starting || run.phaseEnds == nil { self.run?.limitLaunch(turn) }
        }
        move(to: .launching, .app, &turn)
    }

    /// Leads a launched process to the app's intended state.
    private mutating func place(_ seen: LifeState, _ toldTime: Double?, _ turn: inout Turn) {
        guard let run else { return }
        if turn.registration.isInForeground {
            guard seen == .active, run.phase != .stopped else { return comeToFront(.system, &turn) }
            self.run?.isInFront()
            turn.act(.deliverEvents(session: nil))
            return move(to: .active, .app, &turn)
        }
        guard seen == .background else {
            return run.phase == .stopped ? wake(.system, &turn) : goBehind(.system, &turn)
        }
        switch run.phase {
        case .stopped:
            guard run.time.isHeld || needs.isHandling || !tasks.isEmpty else { return stopAgain(&turn) }
            resume(&turn)
        case .committing, .spawning, .starting, .front, .leaving, .entering, .running: break
        }
        if run.time.ends == nil {
            // An earlier daemon gave it its time. It keeps the remainder, and enough for its handlers.
            let most = turn.uptime + turn.policy.time.taskTime
            let ends = toldTime.map { min(max($0, turn.uptime + turn.policy.time.warning), most) }
            self.run?.time.begin(until: ends ?? most)
        }
        turn.act(.send(.backgroundTime(ends: backgroundEnds)))
        if run.time.isExpiring { turn.act(.send(.expire)) }
        self.run?.phase = .running
        self.run?.phaseEnds = nil
        move(to: .background, .app, &turn)
        settle(&turn)
    }

    mutating func disconnected(_ turn: Turn) {
        guard isAttached else { return }
        run?.disconnected(turn)
        tasks.disconnected(turn)
    }

    /// The connection is lost for good: an app that sends no reports has nothing to do.
    mutating func didNotReturn(_ turn: inout Turn) {
        needs.processIsGone()
        tasks.end(.lost, &turn)
        run?.isLost()
        keepWarning(&turn)
        if !needs.waiting.isEmpty {
            turn.registration.backoff.crashed(at: turn.now)
            turn.persists = true
        }
        settle(&turn)
        meetNeeds(&turn)
    }

    /// Whether it would probably end the same way if it were launched for its sessions.
    func endedBadly(_ end: ProcessEnd) -> Bool {
        guard let run else { return false }
        switch run.ending.killReason {
        case .backgroundTimeOver, .didEnterBackgroundTooLong, .eventsTooLong, .launchTooLong, .taskTooLong: return true
        case .terminateTooLong, .memoryPressure, .terminated, .quit, .replaced: return false
        case nil: break
        }
        guard run.ending.endsBy == nil else { return false }
        switch run.phase {
        case .committing, .spawning, .starting: return !run.cause.isForeground
        case .leaving, .entering, .running: return end.isCrash || needs.isOwedCompletion || tasks.hasUnentered
        case .front, .stopped: return false
        }
    }

    /// Whether it ended itself after a launch for its sessions, with none of their events acknowledged so far. If it
    /// has not recorded an acknowledgement either, it would end the same way for ever.
    var endedInVain: Bool {
        guard let run, case .sessionEvents = run.cause, !run.hasSettledEvents, !run.ending.isUnderWay else {
            return false
        }
        return run.phase == .entering || run.phase == .running
    }
}
