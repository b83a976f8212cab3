// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// What the loop does because time has passed.
extension CurlLoop {
    func runTimers() {
        if let due = resumeDue, due <= now { resumePaused() }
        if let due = progressDue, due <= now { reportProgress() }
        if let due = silenceDue, due <= now { endSilentAttempts() }
        if running.isEmpty {
            progressDue = nil
            silenceDue = nil
            if let due = quietDue, due <= now { becomeQuiet() }
        }
    }

    func noteSilenceDeadline(_ deadline: ContinuousClock.Instant) {
        silenceDue = silenceDue.map { min($0, deadline) } ?? deadline
    }

    func setRateLimit(_ limit: Int64?, of key: RequestKey) {
        guard let attempt = running[key] else { return }
        attempt.setRateLimit(limit, now: now)
        limited[key] = attempt.pace.isLimited ? attempt : nil
    }

    /// Looks for attempts that have asked for a pause during this turn.
    func notePauses() {
        resumeDue = limited.values.lazy.compactMap(\.pace.pausedUntil).min()
    }

    private func resumePaused() {
        for attempt in Array(limited.values) {
            if let until = attempt.pace.pausedUntil, until <= now { attempt.resume(now: now) }
        }
        if progressDue == nil { progressDue = now + Self.progressInterval }
    }

    /// Tells how far attempts have got, and notes which of them are alive.
    private func reportProgress() {
        progressDue = nil
        for attempt in Array(running.values) {
            if let failure = attempt.droppedBodyFailure { end(attempt, failure) }
        }
        let moved = running.values.compactMap { $0.progress(now: now) }
        if !moved.isEmpty { turn.append(.progress(moved)) }
    }

    /// Ends attempts over which no byte has gone for their idle timeout.
    private func endSilentAttempts() {
        silenceDue = nil
        let moved = running.values.compactMap { $0.progress(now: now) }
        if !moved.isEmpty { turn.append(.progress(moved)) }
        for attempt in Array(running.values) {
            if attempt.silenceDeadline <= now {
                end(attempt, attempt.silenceFailure)
            } else {
                noteSilenceDeadline(attempt.silenceDeadline)
            }
        }
    }

    /// Gives up connections and memory; the next attempt makes them anew.
    private func becomeQuiet() {
        quietDue = nil
        spareHandles = []
        multi = nil
        offstage_trim_heap()
        offstage_unmap_unused_code()
    }
}
