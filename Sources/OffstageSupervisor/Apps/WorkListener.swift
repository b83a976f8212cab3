// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Reports about apps to deferred work, on the loop.
package struct WorkListener {
    /// Receives the outcomes of each app's tasks. Numbers that are no longer under way in the schedule may occur now
    /// and then.
    package var task: (@Sendable (TaskNotice, _ app: String) -> Void)?
    /// Receives whether an app may be launched or woken for deferred work: for each app with a hold once all apps have
    /// been found, and then at every change. The end of a back-off is not reported.
    package var hold: (@Sendable (_ app: String, AppHold?) -> Void)?
    /// Receives the highest request number that an attaching process remembers, before the process receives any task.
    package var number: (@Sendable (UInt64) -> Void)?
    /// Receives the removal of an app.
    package var removal: (@Sendable (_ app: String) -> Void)?

    package init() {}

    /// Reports the hold that keeps an app from being launched or woken, if it has changed since the last report.
    package func reportHold(of app: SupervisedApp, at now: Moment) {
        guard let hold, !app.isForgotten else { return }
        let new = app.life.hold(at: now)
        guard !Self.isSame(new, app.toldHold) else { return }
        app.toldHold = new
        hold(app.id, new)
    }

    /// Reports the tasks that an attaching process remembers.
    package func reportNumbers(of view: StageView) {
        // Numbers of errands, which are all greater, would hide the numbers of requests.
        let numbers = (view.runningTasks.keys + view.completedTasks.map(\.number)).filter {
            $0 < TaskLaunch.firstErrandNumber
        }
        if let highest = numbers.max() { number?(highest) }
    }

    private static func isSame(_ one: AppHold?, _ other: AppHold?) -> Bool {
        if case .backedOff(let until, let crashes) = one, case .backedOff(let before, crashes) = other {
            // Computed from the present time.
            return abs(until - before) < 0.01
        }
        return one == other
    }
}
