// SPDX-License-Identifier: Apache-2.0

/// The results of a transfer's attempts so far: they decide whether the next failure is final.
package struct PastAttempts: Sendable, Equatable {
    /// Attempts made so far.
    @Within<Counts> package var count: Int = 0
    /// Retries made because of failures.
    @Within<Counts> package var retries: Int = 0
    /// Failed attempts in a row that got no further than an earlier one.
    @Within<Counts> package var fruitless: Int = 0
    /// How often a download had to begin again at its first byte because the server's file had changed. Only a person
    /// resets it to zero: bytes of the next file are no reason to, since yet another file may follow.
    @Within<Counts> package var restarts: Int = 0
    /// The most bytes that any attempt reached; for a dialect's upload, only bytes that its server still has count.
    @Within<ByteCounts> package var furthestByte: Int64 = 0
    /// Bytes of the file that the attempts in the history, and earlier ones, have moved in total, as far as is known.
    /// Zero if the history is empty.
    @Within<ByteCounts> package var moved: Int64 = 0
    package var hasBeenAnswered: Bool = false
    /// The number of names and passwords tried in answer to challenges.
    @Within<Counts> package var challengesAnswered: Int = 0
    package var lastFailure: TransferFailure?
    /// The latest attempts, oldest first.
    package var history: [AttemptRecord] = []

    /// The number of attempts kept in `history`.
    package static let historyLimit = 8

    package init() {}

    /// Whether the next attempt should avoid features over which a server, or something along the way, may break
    /// connections: every third attempt, as long as nothing has been answered.
    package var suggestsAnotherWay: Bool {
        // checked: not divided by 0
        !hasBeenAnswered && fruitless >= 2 && fruitless % 3 == 2 && lastFailure?.retryClass == .connection
    }

    /// Whether an attempt is known to have failed.
    var hasFailure: Bool { lastFailure != nil || history.contains { $0.failure != nil } }

    /// Records that another attempt begins at a byte. If the server counts the bytes, data that it no longer has must
    /// be sent again, which is progress.
    package mutating func begin(at offset: Int64, isCountedByServer: Bool) {
        count += 1
        if isCountedByServer { furthestByte = min(furthestByte, offset) }
    }

    /// Adds a finished attempt to the history. `moved` is the number of the file's bytes that it moved over the wire;
    /// nil if that equals its progress.
    package mutating func record(
        _ attempt: TransferState.Attempt,
        endedAt now: Moment,
        reached: Int64,
        moved: Int64? = nil,
        failure: TransferFailure?
    ) {
        self.moved = self.moved.addingClamped(max(moved ?? 0, reached.subtractingClamped(attempt.offset), 0))
        history.append(
            AttemptRecord(
                number: attempt.number,
                startedAt: attempt.startedAt.wall,
                endedAt: now.wall,
                fromByte: attempt.offset,
                toByte: reached,
                failure: failure
            )
        )
        if history.count > Self.historyLimit { history.removeFirst(history.count - Self.historyLimit) }
    }

    /// Counts a failure; an attempt that got further than any before begins a new count.
    package mutating func failed(_ failure: TransferFailure, reached: Int64) {
        lastFailure = failure
        if reached > furthestByte {
            furthestByte = reached
            fruitless = 0
        }
        fruitless += 1
    }

    /// Decides when to try again, and counts the retry.
    ///
    /// - Returns: seconds until then; nil if the failure is final.
    package mutating func retry(
        after failure: TransferFailure,
        of spec: TransferSpec,
        _ policy: RetryPolicy,
        jitter: Double
    ) -> Double? {
        let history = RetryPolicy.History(
            fruitlessAttempts: fruitless,
            retries: retries,
            hasBeenAnswered: hasBeenAnswered,
            maximumRetries: spec.maximumRetries,
            maximumAttemptsBeforeFirstAnswer: spec.maximumAttemptsBeforeFirstAnswer,
            fixedDelay: spec.connection?.retryDelay
        )
        guard let delay = policy.delay(after: failure, history: history, jitter: jitter) else { return nil }
        retries += 1
        return delay
    }

    /// Begins the download again at its first byte, whatever it has reached. Decides when, and counts the restart,
    /// which is not a retry, since nothing has failed.
    ///
    /// - Returns: seconds until then; nil if it begins at once.
    package mutating func restart(of spec: TransferSpec, _ policy: RetryPolicy, jitter: Double) -> Double? {
        restarts = restarts.addingClamped(1)
        furthestByte = 0
        return policy.delay(ofRestart: restarts, fixedDelay: spec.connection?.retryDelay, jitter: jitter)
    }

    /// Resets the counts because a person restarts the transfer: it has as many retries as a new one.
    package mutating func startOver() {
        retries = 0
        fruitless = 0
        restarts = 0
        lastFailure = nil
    }

    /// Forgets the counts that concern the server, since the transfer goes to another one.
    package mutating func forgetServer() {
        hasBeenAnswered = false
        furthestByte = 0
        fruitless = 0
    }

    /// Removes sent secrets from the texts of the failures.
    mutating func strikeSecrets(_ redactor: SecretRedactor) {
        lastFailure = lastFailure?.withoutSecrets(of: redactor)
        history = history.map { record in
            var record = record
            record.failure = record.failure?.withoutSecrets(of: redactor)
            return record
        }
    }
}
