// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The counts and measurements of attempts, for the metrics.
///
/// An attempt's run records how much of it has been counted (`CountedAttempt`), so nothing is counted twice.
struct AttemptCounts {
    let registry: TransferRegistry

    /// Counts the bytes that an attempt has moved since they were last counted.
    func countBytes(of id: TransferID) {
        guard let entry = registry[id], let run = entry.run else { return }
        let moved = run.attempt.movedInAll
        guard moved > run.counted.bytes else { return }
        registry.metrics.moved(moved - run.counted.bytes, isUpload: entry.transfer.spec.isUpload)
        registry[id]?.run?.counted.bytes = moved
    }

    /// Measures how long a transfer's first attempt has taken to its first byte, from the moment it could begin.
    ///
    /// - Parameters:
    ///   - key: the request that moved the byte.
    ///   - seconds: how long ago that was.
    func countFirstByte(of key: RequestKey, ago seconds: Double) {
        guard let entry = registry[key.id], let run = entry.run, run.attempt.number == key.attempt, key.attempt == 1,
            !run.counted.hasFirstByte, let begun = run.begun
        else { return }
        registry[key.id]?.run?.counted.hasFirstByte = true
        let taken = max(0, registry.now().seconds(since: begun.at) - seconds)
        registry.metrics[isUpload: entry.transfer.spec.isUpload].firstByte.observe(begun.waited + taken)
    }

    /// Counts the end of an attempt that has begun; once.
    ///
    /// - Parameters:
    ///   - id: the transfer, after the decision on the end.
    ///   - result: the attempt's result; nil if it was broken off.
    func countEnd(of id: TransferID, _ result: AttemptResult? = nil) {
        guard let entry = registry[id], let run = entry.run, let begun = run.begun, !run.counted.hasEnded else {
            return
        }
        registry[id]?.run?.counted.hasEnded = true
        let outcome = result.map { AttemptOutcome($0, then: entry.transfer.state) } ?? .interrupted
        let seconds = registry.now().seconds(since: begun.at)
        registry.metrics.attemptEnded(outcome, of: entry.transfer, seconds: seconds)
    }
}
