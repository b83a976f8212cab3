// SPDX-License-Identifier: Apache-2.0

/// The needs of an app's background sessions.
extension AppLife {
    mutating func need(_ session: String, _ turn: inout Turn) {
        if let index = run?.handling.firstIndex(where: { $0.session == session }) {
            // It has been notified, and receives later events while it runs.
            if run?.handling[index].isSettled == true {
                run?.handling[index].isSettled = false
                run?.handling[index].hasNews = true
            }
            return
        }
        run?.unheard.removeAll { $0 == session }
        if !needs.contains(session) { needs.append(session) }
        meetNeeds(&turn)
    }

    mutating func settled(_ session: String, _ turn: inout Turn) {
        needs.removeAll { $0 == session }
        run?.unheard.removeAll { $0 == session }
        if needs.isEmpty { delayedUntil = nil }
        guard let index = run?.handling.firstIndex(where: { $0.session == session }) else { return }
        run?.handling[index].isSettled = true
        run?.handling[index].hasNews = false
        if run?.handling[index].endsBy != nil { finish(index, &turn) }
    }

    /// Launches or wakes the app for the sessions that need it; in front it simply receives their events.
    mutating func meetNeeds(_ turn: inout Turn) {
        guard let first = needs.first, !registration.isQuit else { return }
        switch run?.phase {
        case nil:
            guard registration.hasAttached, !isPutOff(.sessionEvents(first), &turn) else { return }
            turn.launches = .sessionEvents(first)
        case .stopped:
            guard !isEnding, !isPutOff(.sessionEvents(first), &turn) else { return }
            if policy.isStrict {
                registration.backoff.woken(at: turn.now)
                turn.persists = true
            }
            wake(.sessionEvents(first), &turn)
        case .running: settle(&turn)
        case .committing, .spawning, .starting, .front, .leaving, .entering: break
        }
    }

    private mutating func isPutOff(_ cause: LaunchCause, _ turn: inout Turn) -> Bool {
        let pause = registration.backoff.pause(at: turn.now, isStrict: policy.isStrict)
        guard pause > 0 else {
            delayedUntil = nil
            return false
        }
        if delayedUntil == nil {
            let reason =
                registration.backoff.crashes > 0
                ? "It ended too early \(registration.backoff.crashes) times in a row."
                : "It has been woken \(registration.backoff.wakes) times since it was in front."
            turn.record(.launchDelayed(cause, seconds: pause, reason))
        }
        delayedUntil = turn.uptime + pause
        return true
    }

    /// Once per session at a time.
    mutating func tellOfNeeds(_ turn: inout Turn) {
        guard let run, !registration.isQuit else { return }
        let told = needs.filter { need in !run.handling.contains { $0.session == need } }
        for session in told {
            let until = turn.uptime + BackgroundTimeProfile.eventTime
            self.run?.handling.append(Run.Handling(session: session, until: until))
            turn.act(.tell(.handleEvents(session: session, timeEnds: until)))
            turn.record(.woken(.sessionEvents(session)))
        }
        needs.removeAll { told.contains($0) }
    }

    mutating func announced(_ session: String, _ turn: inout Turn) {
        guard run?.phase != .stopped else { return }
        if let index = run?.handling.firstIndex(where: { $0.session == session }) {
            run?.handling[index].isAnnounced = true
            // The handler was called before the events could arrive: their time begins now.
            if run?.handling[index].endsBy != nil { setEnd(of: index, turn) }
        }
        turn.act(.deliverEvents(session: session))
    }

    /// Its completion handler was called, perhaps before the events were delivered: until then, or until their time is
    /// over, the app is not suspended and nothing counts as handled.
    mutating func handled(_ session: String, _ turn: inout Turn) {
        guard let run, let index = run.handling.firstIndex(where: { $0.session == session }) else { return }
        if run.handling[index].isSettled {
            finish(index, &turn)
        } else if run.handling[index].endsBy == nil {
            setEnd(of: index, turn)
        }
    }

    /// In front it received a session's events. In the background it is notified of them if it turns out not to have
    /// them.
    mutating func holdBackNeeds(_ turn: Turn) {
        let ends = turn.uptime + Self.settlingTime
        for need in needs {
            run?.handling.append(Run.Handling(session: need, until: ends, isTold: false, hasNews: true, endsBy: ends))
        }
        needs = []
    }

    private mutating func setEnd(of index: Int, _ turn: Turn) {
        guard let until = run?.handling[index].until else { return }
        run?.handling[index].endsBy = min(until, turn.uptime + Self.settlingTime)
    }

    private mutating func finish(_ index: Int, _ turn: inout Turn) {
        guard let done = run?.handling.remove(at: index) else { return }
        if done.hasNews {
            // Later events do not belong to this call of the handler.
            if !needs.contains(done.session) { needs.append(done.session) }
        } else if done.isTold {
            turn.record(.handledEvents(session: done.session))
        }
        settle(&turn)
    }

    /// The completion handler was not called: the app is no longer kept running for it, and its story says so. It
    /// receives the missed events when it runs again for another reason; waking it for them would have the same result.
    mutating func handlingIsOver(_ turn: inout Turn) {
        while let index = run?.handling.firstIndex(where: { $0.endsBy == nil && isDue($0.until, turn) }) {
            guard let late = run?.handling[index] else { return }
            let seconds = BackgroundTimeProfile.eventTime
            // Its main thread has not returned from the call: it hangs.
            guard late.isAnnounced else { return kill(.eventsTooLong(session: late.session, seconds: seconds), &turn) }
            turn.record(.eventsNotHandled(session: late.session, seconds: seconds))
            run?.handling.remove(at: index)
            if !late.isSettled || late.hasNews { run?.unheard.append(late.session) }
        }
        settle(&turn)
    }

    /// It runs again: it is notified again of the events that it missed.
    mutating func tellAgain() {
        guard let unheard = run?.unheard, !unheard.isEmpty else { return }
        needs += unheard.filter { !needs.contains($0) }
        run?.unheard = []
    }

    var settlingDue: Double? { run?.handling.lazy.compactMap(\.endsBy).min() }

    mutating func settlingIsOver(_ turn: inout Turn) {
        while let index = run?.handling.firstIndex(where: { isDue($0.endsBy, turn) }) { finish(index, &turn) }
    }

    /// The unfinished work of an ended process is needed again.
    mutating func takeBackNeeds(_ handling: [Run.Handling]) {
        for undone in handling where !undone.isSettled && !needs.contains(undone.session) {
            needs.append(undone.session)
        }
    }
}
