// SPDX-License-Identifier: Apache-2.0

/// A request and how far it is: a row of the store until it has run.
package struct TaskRecord: Sendable, Hashable, Codable {
    package enum Phase: Sendable, Hashable, Codable {
        case pending
        /// Its app was told, or is being launched for it; whether the handler was entered is not known.
        case starting(since: Moment)
        /// The handler was entered.
        case running(since: Moment)
    }

    package var request: TaskRequest
    package var phase: Phase
    /// How often it was begun and came back, since the app ended before the handler was entered, or the machine stopped.
    package var attempts: Int

    package init(request: TaskRequest, phase: Phase = .pending, attempts: Int = 0) {
        self.request = request
        self.phase = phase
        self.attempts = attempts
    }
}
