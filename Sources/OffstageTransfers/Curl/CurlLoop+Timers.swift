// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// The loop's timed work.
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

    func setSilenceDeadline(_ deadline: ContinuousClock.Instant) {
        silenceDue = silenceDue.map { min($0, deadline) } ?? deadline
    }

    func setRateLimit(_ limit: Int64?, of key: RequestKey) {
        guard let attempt = running[key] else { return }
        attempt.setRateLimit(limit, now: now)
        limited[key] = attempt.pace.isLimited ? attempt : nil
        endIfRefused(attempt)
    }

    /// Finds attempts that have requested a pause during this turn.
    func findPauses() {
        resumeDue = limited.values.lazy.compactMap(\.pace.pausedUntil).min()
    }

    private func resumePaused() {
        for attempt in Array(limited.values) {
            guard let until = attempt.pace.pausedUntil, until <= now else { continue }
            attempt.resume(now: now)
            endIfRefused(attempt)
        }
        if progressDue == nil { progressDue = now + Self.progressInterval }
    }

    /// Reports progress, and records which attempts are alive.
    private func reportProgress() {
        progressDue = nil
        for attempt in Array(running.values) {
            if let failure = attempt.droppedBodyFailure { end(attempt, failure) }
        }
        collectProgress()
    }

    private func collectProgress() {
        let moved = running.values.compactMap { attempt -> EngineProgress? in
            guard let progress = attempt.progress(now: now) else { return nil }
            reportFirstByte(of: attempt)
            return progress
        }
        if !moved.isEmpty { turn.append(.progress(moved)) }
    }

    /// Ends attempts that have moved no byte for their idle timeout.
    private func endSilentAttempts() {
        silenceDue = nil
        collectProgress()
        for attempt in Array(running.values) {
            if attempt.silenceDeadline <= now {
                end(attempt, attempt.silenceFailure)
            } else {
                setSilenceDeadline(attempt.silenceDeadline)
            }
        }
    }

    /// Releases connections and memory; the next attempt creates them again.
    private func becomeQuiet() {
        quietDue = nil
        spareHandles = []
        multi = nil
        offstage_trim_heap()
        offstage_unmap_unused_code()
    }
}
