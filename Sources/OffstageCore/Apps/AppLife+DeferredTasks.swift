// SPDX-License-Identifier: Apache-2.0

/// Deferred work that the app is to run, or runs.
extension AppLife {
    /// What keeps it from being launched or woken for deferred work.
    package func hold(at now: Moment) -> AppHold? {
        if registration.isQuit { return .quit }
        if isEnding { return .ending }
        guard run == nil || run?.phase == .stopped else { return nil }
        let pause = registration.backoff.pause(at: now, isStrict: false)
        return pause > 0 ? .backedOff(until: now.uptime + pause, crashes: registration.backoff.crashes) : nil
    }

    /// Whether it is on its way nowhere: suspended, in front or not running, or a program that never says anything.
    package var isSettled: Bool {
        guard let run else { return delayedUntil == nil && needs.isEmpty || registration.isQuit }
        if run.isEnding { return false }
        switch run.phase {
        case .front: return true
        case .stopped: return run.look == nil
        case .starting: return run.cause.isForeground && !run.isAttached
        case .committing, .spawning, .leaving, .entering, .running: return false
        }
    }
}
