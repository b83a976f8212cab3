// SPDX-License-Identifier: Apache-2.0

/// What an app has used of its time for deferred work at a moment, for the daemon that comes next.
package struct TaskBudgetUse: Sendable, Hashable {
    package var app: String
    /// Seconds that runs have used and that have not come back, those of runs that are on aside.
    package var used: Double
    /// Seconds that a run takes, as far as is known.
    package var typicalSeconds: Double?
    package var moment: Moment

    package init(app: String, used: Double, typicalSeconds: Double?, moment: Moment) {
        self.app = app
        self.used = used
        self.typicalSeconds = typicalSeconds
        self.moment = moment
    }
}
