// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What deferred work is told of apps, on the loop.
package struct WorkListener {
    /// What becomes of the tasks of each app: nothing may be taken for known here that is not. A number that the schedule
    /// does not have under way any more is told of too, now and then.
    package var task: (@Sendable (TaskNotice, _ app: String) -> Void)?
    /// Whether an app may be launched or woken for deferred work: as soon as every app was found, of each with a hold, and
    /// of every change. What is backed off until a time is not told of when that comes.
    package var hold: (@Sendable (_ app: String, AppHold?) -> Void)?
    /// The highest number of a task that a process remembers which attaches, before the process hears of any task.
    package var number: (@Sendable (UInt64) -> Void)?
    /// That an app was removed.
    package var removal: (@Sendable (_ app: String) -> Void)?

    package init() {}

    /// Tells what keeps an app from being launched or woken, if that is not what was told last.
    package func tellHold(of app: SupervisedApp, at now: Moment) {
        guard let hold, !app.isForgotten else { return }
        let new = app.life.hold(at: now)
        guard !Self.isSame(new, app.toldHold) else { return }
        app.toldHold = new
        hold(app.id, new)
    }

    /// Tells of the tasks that a process remembers which attaches.
    package func tellNumbers(of view: StageView) {
        let highest = [view.runningTasks.keys.max(), view.completedTasks.map(\.number).max()].compactMap { $0 }.max()
        if let highest { number?(highest) }
    }

    private static func isSame(_ one: AppHold?, _ other: AppHold?) -> Bool {
        if case .backedOff(let until, let crashes) = one, case .backedOff(let before, crashes) = other {
            // Reckoned from now each time.
            return abs(until - before) < 0.01
        }
        return one == other
    }
}
