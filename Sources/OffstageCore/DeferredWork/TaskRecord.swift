// SPDX-License-Identifier: Apache-2.0

/// A request and its phase: a row in the store until it has run.
package struct TaskRecord: Sendable, Hashable, Codable {
    package enum Phase: Sendable, Hashable, Codable {
        case pending
        /// Its app was notified, or is being launched for it; it is not known whether the handler was entered.
        case starting(since: Moment)
        /// The handler was entered.
        case running(since: Moment)
    }

    package var request: TaskRequest
    package var phase: Phase
    /// How often it began and was returned because the app ended before the handler was entered, or the machine
    /// stopped.
    package var attempts: Int

    package init(request: TaskRequest, phase: Phase = .pending, attempts: Int = 0) {
        self.request = request
        self.phase = phase
        self.attempts = attempts
    }
}
