// SPDX-License-Identifier: Apache-2.0

/// The results of a transfer's attempts so far: they decide whether the next failure is final.
package struct PastAttempts: Sendable, Equatable {
    /// Attempts made so far.
    @Within<Counts> package var count: Int = 0
    /// Retries made because of failures.
    @Within<Counts> package var retries: Int = 0
    /// Failed attempts in a row that got no further than an earlier one.
    @Within<Counts> package var fruitless: Int = 0
    /// How often a download had to begin again at its first byte, since the server's file was another. Only a person
    /// sets it to zero: bytes of the next file, which may be followed by yet another, are no reason to.
    @Within<Counts> package var restarts: Int = 0
    /// The most bytes that any attempt reached; for a dialect's upload, of the bytes that its server still has.
    @Within<ByteCounts> package var furthestByte: Int64 = 0
    /// Bytes of the file that the attempts in the history, and those before them, have moved in all, as far as is
    /// known. Zero if nothing is in the history.
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

    /// Whether the next attempt should avoid what a server, or something on the way, may break connections for: every
    /// third attempt, as long as nothing has been answered.
    package var suggestsAnotherWay: Bool {
        // checked: not divided by 0
        !hasBeenAnswered && fruitless >= 2 && fruitless % 3 == 2 && lastFailure?.retryClass == .connection
    }

    /// Whether one has failed, as far as is known.
    var hasFailure: Bool { lastFailure != nil || history.contains { $0.failure != nil } }

    /// Another attempt begins at a byte. Where the server counts the bytes, data that it no longer has must be
    /// sent again, and that is progress.
    package mutating func begin(at offset: Int64, isCountedByServer: Bool) {
        count += 1
        if isCountedByServer { furthestByte = min(furthestByte, offset) }
    }

    /// Adds an attempt that has ended to the history. `moved` is how many bytes of the file went over the line in it;
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

    /// Decides when to try again, and counts that.
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

    /// The download begins again at its first byte, whatever it has reached. Decides when, and counts that; it is no
    /// retry, since nothing has failed.
    ///
    /// - Returns: seconds until then; nil if it begins at once.
    package mutating func restart(of spec: TransferSpec, _ policy: RetryPolicy, jitter: Double) -> Double? {
        restarts = restarts.addingClamped(1)
        furthestByte = 0
        return policy.delay(ofRestart: restarts, fixedDelay: spec.connection?.retryDelay, jitter: jitter)
    }

    /// A person restarts the transfer: it has as many retries as a new one.
    package mutating func startOver() {
        retries = 0
        fruitless = 0
        restarts = 0
        lastFailure = nil
    }

    /// The transfer goes to another server.
    package mutating func forgetServer() {
        hasBeenAnswered = false
        furthestByte = 0
        fruitless = 0
    }

    /// Removes sent secrets from the sentences of the failures.
    mutating func strikeSecrets(_ redactor: SecretRedactor) {
        lastFailure = lastFailure?.withoutSecrets(of: redactor)
        history = history.map { record in
            var record = record
            record.failure = record.failure?.withoutSecrets(of: redactor)
            return record
        }
    }
}
