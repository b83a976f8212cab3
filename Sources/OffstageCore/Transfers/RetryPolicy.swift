// SPDX-License-Identifier: Apache-2.0

/// Decides when a failed attempt is repeated: exponential backoff with jitter that respects the server's wishes.
package struct RetryPolicy: Sendable, Equatable, Codable {
    /// Seconds before the first retry.
    package var baseDelay: Double
    /// The longest wait between two attempts, in seconds, unless the server asks for more.
    package var maximumDelay: Double
    /// Consecutive attempts without progress after which the daemon gives up on a misbehaving server.
    package var maximumFruitlessAttempts: Int

    package init(baseDelay: Double = 1, maximumDelay: Double = 300, maximumFruitlessAttempts: Int = 5) {
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.maximumFruitlessAttempts = maximumFruitlessAttempts
    }

    /// The history of a transfer, as far as retries depend on it.
    package struct History: Sendable, Equatable {
        /// Consecutive failed attempts without progress, including this one; at least 1.
        package var fruitlessAttempts: Int
        /// Retries already made because of failures.
        package var retries: Int
        /// Whether any server ever answered with a complete response head.
        package var hasBeenAnswered: Bool
        package var maximumRetries: Int?
        package var maximumAttemptsBeforeFirstAnswer: Int?
        /// The owner's choice of seconds between any two attempts; nil for growing waits.
        package var fixedDelay: Double?

        package init(
            fruitlessAttempts: Int,
            retries: Int,
            hasBeenAnswered: Bool,
            maximumRetries: Int?,
            maximumAttemptsBeforeFirstAnswer: Int?,
            fixedDelay: Double? = nil
        ) {
            self.fruitlessAttempts = fruitlessAttempts
            self.retries = retries
            self.hasBeenAnswered = hasBeenAnswered
            self.maximumRetries = maximumRetries
            self.maximumAttemptsBeforeFirstAnswer = maximumAttemptsBeforeFirstAnswer
            self.fixedDelay = fixedDelay
        }
    }

    /// Seconds until the next attempt; nil if the failure is final.
    ///
    /// - Parameters:
    ///   - failure: how the attempt failed.
    ///   - history: the transfer's history.
    ///   - jitter: a random number from 0 up to 1; the wait is between half and all of the backoff, so that a thousand
    ///     clients of a server that comes back do not arrive together.
    /// - Returns: the wait, as it is stored.
    package func delay(after failure: TransferFailure, history: History, jitter: Double) -> Double? {
        if let maximum = history.maximumRetries, history.retries >= maximum { return nil }
        switch failure.retryClass {
        case .permanent:
            return nil
        case .misbehaviour:
            if history.fruitlessAttempts >= maximumFruitlessAttempts { return nil }
        case .connection:
            // A temporary problem of this machine says nothing about the URL.
            if !history.hasBeenAnswered, failure.code != .daemonInterrupted,
                let maximum = history.maximumAttemptsBeforeFirstAnswer,
                history.fruitlessAttempts >= maximum
            {
                return nil
            }
        case .busy:
            break
        }
        return Self.wait(history.fixedDelay ?? backoff(history.fruitlessAttempts, jitter: jitter), after: failure)
    }

    /// Seconds until a download begins again at its first byte because the server's file has changed; nil for at once.
    ///
    /// A file may be replaced while it is fetched, so the first restart does not wait. Servers behind one name may name
    /// a different file at each attempt, and break off in the middle: each break would count as progress, and the whole
    /// file would be requested again and again, for days.
    ///
    /// - Parameters:
    ///   - number: how often the download has begun again, including this time.
    ///   - fixedDelay: the owner's choice of seconds between any two attempts; nil for growing waits.
    ///   - jitter: a random number from 0 up to 1.
    /// - Returns: the wait, as it is stored.
    package func delay(ofRestart number: Int, fixedDelay: Double?, jitter: Double) -> Double? {
        guard number > 1 else { return nil }
        return fixedDelay ?? backoff(number.subtractingClamped(1), jitter: jitter)
    }

    /// Seconds to wait after a failure: the given number, but never fewer than its server asked for.
    static func wait(_ seconds: Double, after failure: TransferFailure) -> Double {
        max(seconds, failure.retryAfter ?? 0)
    }

    /// Seconds to wait after this many consecutive failures; `jitter` is a random number from 0 up to 1.
    package func backoff(_ failures: Int, jitter: Double) -> Double {
        // checked: floating point
        Backoff(first: baseDelay, longest: maximumDelay).delay(after: failures) * (0.5 + 0.5 * jitter)
    }
}
