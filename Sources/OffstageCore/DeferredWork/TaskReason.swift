// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// Why a task does not run now, or its state: one value that `offstage why`, `offstage tasks`, the library and the logs
/// all print.
package struct TaskReason: Sendable, Hashable, Codable {
    /// In the order of the checks: the first cause that applies is the reason.
    package enum Cause: Sendable, Hashable, Codable {
        case running
        /// Its app is being launched or notified.
        case starting
        case appQuit
        case appEnding
        case appBackedOff(crashes: Int)
        case earliestBegin
        /// Background refresh is switched off in the settings, for all apps or for this one.
        case refreshOff
        case noNetwork
        case noExternalPower
        /// 0 to 1, and the least charge required without external power.
        case lowBattery(charge: Double, least: Double)
        case diskFull
        case machineBusy
        /// The app has used up its time for the day, in seconds.
        case budgetSpent(seconds: Double)
        /// The limit of simultaneous tasks is reached.
        case othersRun(running: Int, limit: Int)
        /// It was returned, and begins again after a pause.
        case retry(attempts: Int)
    }

    package var cause: Cause
    /// Since when this has been the reason.
    package var since: Date
    /// The time of the next check; nil if an event decides.
    package var nextLook: Date?

    package init(cause: Cause, since: Date, nextLook: Date? = nil) {
        self.cause = cause
        self.since = since
        self.nextLook = nextLook
    }
}
