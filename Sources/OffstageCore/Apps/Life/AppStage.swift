// SPDX-License-Identifier: Apache-2.0

/// An app on stage: leads its process through the states of the life cycle, and tracks what keeps it from being
/// suspended.
///
/// The process is suspended only if nothing holds it (a background task, a session's events, deferred work, a lost
/// connection), and if its place, in front or in background, is durable. `AppLife` starts and ends the process.
struct AppStage: Sendable {
    private(set) var state = LifeState.terminated
    /// Nil while there is no process and no launch.
    var run: AppRun?
    var needs = SessionNeeds()
    var tasks = TasksUnderWay()
    /// Whether a change of `registration.isInForeground` is not durable yet.
    private var owesPlace = false

    var isAttached: Bool { run?.isAttached ?? false }

    /// Whether its process is being killed or was asked to end.
    var isEnding: Bool { run?.ending.isUnderWay ?? false }

    /// The end of the time of all its background tasks; nil in front.
    var backgroundEnds: Double? { run?.time.ends.map(tasks.backgroundEnds) }

    /// Whether it is not changing its state: suspended or about to be, in front or not running, or a program that never
    /// reports. Continued processing may take any time.
    var isSettled: Bool {
        guard let run else { return true }
        if run.ending.isUnderWay { return false }
        switch run.phase {
        case .front: return true
        case .stopped: return run.check == nil
        case .starting: return run.cause.isForeground && !run.isAttached
        // Nothing but time passes until it is asked whether it may be suspended, so time may be advanced to that point.
        case .running: return run.suspension.isInGrace || tasks.areAllOpenEnded
        case .committing, .spawning, .leaving, .entering: return false
        }
    }

    // MARK: Processes

    /// A process is launched, or found. Its story does not call that a change of state.
    mutating func begin(_ run: AppRun, _ state: LifeState) {
        self.run = run
        self.state = state
    }

    /// There is no process any more.
    mutating func clear() {
        run = nil
        state = .terminated
    }

    /// Everything is durable.
    mutating func committed() { owesPlace = false }

    mutating func kill(_ reason: AppEntry.KillReason, _ turn: inout Turn) { run?.ending.condemn(reason, &turn) }

    // MARK: Places

    /// Its new state and the reason, for its story.
    mutating func move(to next: LifeState, _ cause: AppEntry.Cause, _ turn: inout Turn) {
        guard next != state else { return }
        turn.record(.moved(from: state, to: next, cause))
        state = next
    }

    mutating func setPlace(isInForeground: Bool, _ turn: inout Turn) {
        guard turn.registration.isInForeground != isInForeground else { return }
        turn.registration.isInForeground = isInForeground
        owesPlace = true
        turn.persists = true
    }

    /// A launch by a person, or coming to the front, ends every pause.
    mutating func forgive(_ turn: inout Turn) {
        needs.postpone(until: nil)
        guard turn.registration.backoff != LaunchBackoff() else { return }
        turn.registration.backoff.cameToForeground()
        turn.persists = true
    }

    // MARK: Holds

    /// Suspends the app if nothing is left to do; otherwise makes sure that it works.
    mutating func settle(_ turn: inout Turn) {
        guard let run, run.phase == .running, !run.ending.isUnderWay else { return }
        if run.isAttached { notifyOfNeeds(&turn) }
        guard mayStop, !owesPlace else { return }
        beginSuspension(&turn)
    }

    /// Whether nothing holds it: neither a background task, a session's events, deferred work nor a lost connection.
    var mayStop: Bool {
        guard let run, tasks.isEmpty else { return false }
        guard run.isAttached else { return run.returnsBy == nil }
        return !run.time.isExpiring && !run.time.isHeld && !needs.isHandling
    }

    /// Nothing is left to do for the app: its grace begins, unless it has already begun.
    private mutating func beginSuspension(_ turn: inout Turn) {
        // Without a connection it cannot be asked.
        guard run?.isAttached == true else { return stop(.nothingToDo, &turn) }
        run?.suspension.begin(turn)
        if turn.policy.suspendGrace <= 0, turn.isDue(run?.suspension.due) { suspensionIsDue(&turn) }
    }

    mutating func suspensionIsDue(_ turn: inout Turn) {
        if let cause = run?.suspension.isDue(&turn) { stop(cause, &turn) }
    }

    /// A new hold ends the way to the suspension.
    mutating func reviewSuspension() {
        guard let run, run.suspension.isUnderWay else { return }
        if run.phase != .running || run.ending.isUnderWay || !mayStop { self.run?.suspension.cancel() }
    }
}
