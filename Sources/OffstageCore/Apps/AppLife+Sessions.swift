// SPDX-License-Identifier: Apache-2.0

/// What its background sessions need of an app.
extension AppLife {
    mutating func need(_ session: String, _ turn: inout Turn) {
        if !needs.contains(session) { needs.append(session) }
        meetNeeds(&turn)
    }

    mutating func settled(_ session: String, _ turn: inout Turn) {
        needs.removeAll { $0 == session }
        if needs.isEmpty { delayedUntil = nil }
        guard let index = run?.handling.firstIndex(where: { $0.session == session }) else { return }
        run?.handling[index].isSettled = true
    }

    /// Launches or wakes the app for the sessions that need it; in front their events just come.
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
        }
        turn.act(.deliverEvents(session: session))
    }

    mutating func handled(_ session: String, _ turn: inout Turn) {
        guard let index = run?.handling.firstIndex(where: { $0.session == session }) else { return }
        run?.handling.remove(at: index)
        turn.record(.handledEvents(session: session))
        settle(&turn)
    }

    /// What a process that is gone has left undone is needed again.
    mutating func takeBackNeeds(_ handling: [Run.Handling]) {
        for undone in handling where !undone.isSettled && !needs.contains(undone.session) {
            needs.append(undone.session)
        }
    }
}
