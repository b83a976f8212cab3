// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// What the loop does because time has passed.
extension CurlLoop {
    func runTimers() {
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

    /// Tells how far attempts have got, and notes which of them are alive.
    private func reportProgress() {
        progressDue = nil
        let moved = running.values.compactMap { $0.progress(now: now) }
        if !moved.isEmpty { outbox.append(.progress(moved)) }
    }

    /// Ends attempts over which no byte has gone for their idle timeout.
    private func endSilentAttempts() {
        silenceDue = nil
        let moved = running.values.compactMap { $0.progress(now: now) }
        if !moved.isEmpty { outbox.append(.progress(moved)) }
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
    }
}
