// SPDX-License-Identifier: Apache-2.0

/// The time for deferred work that an app has used at a moment, for the next daemon.
package struct TaskBudgetUse: Sendable, Hashable {
    package var app: String
    /// Used seconds that were not refilled, except by present runs.
    package var used: Double
    /// Seconds that a run takes, as far as known.
    package var typicalSeconds: Double?
    package var moment: Moment

    package init(app: String, used: Double, typicalSeconds: Double?, moment: Moment) {
        self.app = app
        self.used = used
        self.typicalSeconds = typicalSeconds
        self.moment = moment
    }
}
