// SPDX-License-Identifier: Apache-2.0

/// The needs of the app's background sessions.
extension AppStage {
    mutating func need(_ session: String, _ turn: inout Turn) {
        if needs.need(session) { meetNeeds(&turn) }
    }

    mutating func settled(_ session: String, _ turn: inout Turn) {
        run?.hasSettledEvents = true
        let wasInDoubt = needs.isInDoubt
        if needs.settled(session, &turn) { settle(&turn) }
        if wasInDoubt, !needs.isInDoubt { wentWell(&turn) }
    }

    /// Launches or wakes the app for the sessions that need it; in front it simply receives their events.
    mutating func meetNeeds(_ turn: inout Turn) {
        guard let first = needs.waiting.first, !turn.registration.isQuit else { return }
        switch run?.phase {
        case nil:
            // Its last records are still being imported.
            guard turn.registration.hasAttached, !needs.isInDoubt, !isPutOff(.sessionEvents(first), &turn) else {
                return
            }
            turn.launches = .sessionEvents(first)
        case .stopped:
            guard !isEnding, !isPutOff(.sessionEvents(first), &turn) else { return }
            if turn.policy.isStrict {
                turn.registration.backoff.woken(at: turn.now)
                turn.persists = true
            }
            wake(.sessionEvents(first), &turn)
        case .running: settle(&turn)
        case .committing, .spawning, .starting, .front, .leaving, .entering: break
        }
    }

    private mutating func isPutOff(_ cause: LaunchCause, _ turn: inout Turn) -> Bool {
        let backoff = turn.registration.backoff
        let pause = backoff.pause(at: turn.now, isStrict: turn.policy.isStrict)
        guard pause > 0 else {
            needs.postpone(until: nil)
            return false
        }
        if needs.delayedUntil == nil {
            let reason =
                backoff.crashes > 0
                ? "It ended too early \(backoff.crashes) times in a row."
                : "It has been woken \(backoff.wakes) times since it was in front."
            turn.record(.launchDelayed(cause, seconds: pause, reason))
        }
        needs.postpone(until: turn.uptime + pause)
        return true
    }

    mutating func notifyOfNeeds(_ turn: inout Turn) {
        if run != nil, !turn.registration.isQuit { needs.notify(&turn) }
    }

    mutating func announced(_ session: String, _ turn: inout Turn) {
        guard run?.phase != .stopped else { return }
        needs.announced(session, turn)
        turn.act(.deliverEvents(session: session))
    }

    /// Its completion handler was called.
    mutating func handled(_ session: String, _ turn: inout Turn) {
        if needs.handled(session, &turn) { settle(&turn) }
    }

    mutating func handlingIsOver(_ turn: inout Turn) {
        if let reason = needs.handlingIsOver(&turn) { return kill(reason, &turn) }
        settle(&turn)
    }

    mutating func settlingIsOver(_ turn: inout Turn) {
        while needs.finishDue(&turn) { settle(&turn) }
    }
}
