// SPDX-License-Identifier: Apache-2.0

/// An event for the schedule of deferred work.
package enum TaskScheduleEvent: Sendable, Hashable {
    /// A stored or new request; a pending request of the same app and identifier has already been removed.
    case added(TaskRecord)
    /// Cancelled, replaced, dropped, or refused by the app.
    case removed(UInt64)
    /// The handler was entered.
    case entered(UInt64)
    /// A run has ended: the request is gone.
    case ended(UInt64)
    /// A run had no result: the request waits again.
    case returned(UInt64)
    case conditions(MachineConditions)
    case policy(TaskPolicy)
    /// Whether the app may be launched or woken; nil for yes.
    case app(String, AppHold?)
    /// Start it now, whatever holds it: `offstage simulate launch`, and continued processing that should run at once.
    /// No condition ends this run either, even one that begins while it runs, such as a busy machine or lost power.
    case force(UInt64)
    /// The time of `nextLook` has come, or the wall clock was set.
    case timeIsUp
}

/// An action of the schedule.
package enum TaskScheduleAction: Sendable, Hashable {
    /// It is `starting` from now on.
    case start(UInt64)
    /// Tell a running task to end.
    case expire(UInt64, TaskExpiry)
}
