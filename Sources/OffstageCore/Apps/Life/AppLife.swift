// SPDX-License-Identifier: Apache-2.0

/// The life cycle of one app: its state, the actions that follow from events, and the time of the next check.
///
/// A pure value: the daemon carries out its actions and reports their results. After `handle(.attached)` the process is
/// the app's if it is `process`, and is answered when `owesProcess` is false. Otherwise it waits for the end of the
/// former process, or is refused.
package struct AppLife: Sendable {
    /// The settings that affect decisions.
    package struct Policy: Sendable, Hashable {
        package var time: BackgroundTimeProfile
        /// Apple's rate limiter.
        package var isStrict: Bool
        /// Seconds from the end of the last hold until the process is asked whether it may be suspended.
        package var suspendGrace: Double

        package init(time: BackgroundTimeProfile = .ios13, isStrict: Bool = false, suspendGrace: Double = 0.25) {
            self.time = time
            self.isStrict = isStrict
            self.suspendGrace = suspendGrace
        }
    }

    /// The stored part; `handle` changes it and then requests `persist`.
    package private(set) var registration: AppRegistration
    package var policy: Policy
    /// Seconds on the boot-time clock at which `timeIsUp` is due; nil for never.
    package private(set) var nextLook: Double?

    var stage = AppStage()
    /// When to request again what is not durable yet; nil if everything is.
    private(set) var commitDue: Double?
    /// Whether the record of the app's new process, which the daemon did not start, is not durable yet. The process is
    /// not answered before that: otherwise the next daemon would not know it, and would launch a second one.
    package internal(set) var owesProcess = false

    package init(_ registration: AppRegistration, policy: Policy) {
        self.registration = registration
        self.policy = policy
    }

    package var state: LifeState { stage.state }

    /// Open background tasks.
    package var tasks: [BackgroundTask] { stage.run?.time.tasks ?? [] }

    /// The numbers of the deferred tasks that it runs or should run.
    package var tasksUnderWay: [UInt64] { stage.tasks.numbers }

    /// Seconds on the boot-time clock before which it is not launched, or woken, for its sessions; nil if nothing is
    /// postponed.
    package var delayedUntil: Double? { stage.needs.delayedUntil }

    /// The app's one process, as soon as its number is known.
    package var process: ProcessIdentity? { registration.process?.identity }

    /// Whether the daemon launched the process.
    package var isChild: Bool { registration.process?.isChild ?? false }

    /// Why the process was launched, for the answer to `app.attach`. Nil if there is none.
    package var launchCause: LaunchCause? { stage.run?.cause }

    /// The end of its time in background; nil while it is in front or does not run.
    package var timeEnds: Double? { stage.timeEnds }

    /// Whether its process is connected.
    package var isAttached: Bool { stage.isAttached }

    /// Whether the process has a terminal: only SIGSTOP may suspend it.
    package var isInTerminal: Bool { stage.run?.isInTerminal ?? false }
    /// Whether it is in background because another group has its terminal. It is in front again once it has the
    /// terminal back.
    package var isBehindTerminal: Bool { isInTerminal && stage.run?.isSeen == false }

    /// Whether nothing holds it, and it is not suspended yet.
    package var isAboutToBeSuspended: Bool { stage.run?.suspension.isUnderWay ?? false }

    /// Whether its process is being killed or was asked to end.
    package var isEnding: Bool { stage.isEnding }

    /// Whether it is not changing its state; continued processing may take any time.
    package var isSettled: Bool { stage.isSettled }

    /// The reason why it cannot be launched or woken for deferred work.
    package func hold(at now: Moment) -> AppHold? { stage.hold(registration, at: now) }

    /// Updates the app's facts from an installation or the last foreground launch; stored with the next `persist`.
    package mutating func learn(
        executable: String,
        information: AppRegistration.Information,
        launch: AppRegistration.Launch
    ) {
        registration.executable = executable
        registration.information = information
        registration.launch = launch
    }

    /// Keeps how often it is called to fetch; stored with the next `persist`.
    package mutating func keepFetchInterval(_ seconds: Double?) { registration.fetchInterval = seconds }

    /// Notes when the app was last in front or woken, in seconds on the boot-time clock; stored with the next
    /// `persist`.
    package mutating func recordUse(at uptime: Double) { registration.lastUsed = uptime }

    /// Handles one event.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - now: the current time.
    ///   - token: a fresh random text, for a launch.
    /// - Returns: the actions, in order.
    package mutating func handle(_ event: AppEvent, now: Moment, token: @autoclosure () -> String) -> [AppAction] {
        var turn = Turn(now, policy, registration)
        handle(event, &turn)
        stage.sendTasks(&turn)
        if let cause = turn.launches { start(cause, token: token(), &turn) }
        stage.reviewSuspension()
        registration = turn.registration
        if turn.persists {
            turn.actions.append(.persist)
            commitDue = now.uptime + Self.commitPatience
        }
        nextLook = earliestDeadline
        return turn.actions
    }

    private mutating func handle(_ event: AppEvent, _ turn: inout Turn) {
        switch event {
        case .launch(.person), .foreground: stage.foreground(&turn)
        case .launch(.personInBackground): stage.launchInBackground(&turn)
        case .launch(.sessionEvents(let session)), .sessionNeedsApp(let session): stage.need(session, &turn)
        case .sessionSettled(let session): stage.settled(session, &turn)
        case .transfersCancelled: transfersCancelled(&turn)
        case .background: stage.background(&turn)
        case .quit(let keepsTransfers): quit(keepsTransfers: keepsTransfers, &turn)
        case .terminate: terminate(&turn)
        case .reclaim: stage.reclaim(&turn)
        case .memoryWarning: stage.warn(&turn)
        case .launch(.task(let identifier)): stage.launchForTask(identifier, &turn)
        case .startTask(let launch): stage.startTask(launch, &turn)
        case .resumeTask(let launch): stage.resumeTask(launch, &turn)
        case .expireTask(let number, let expiry): stage.expireTask(number, expiry, &turn)
        case .spawned(let identity): spawned(identity, &turn)
        case .spawnFailed(let reason, let isForGood): spawnFailed(reason, isForGood: isForGood, &turn)
        case .observed(let isStopped): stage.observed(isStopped: isStopped, &turn)
        case .ended(let end): ended(end, &turn)
        case .attached(let identity, let view): attached(identity, view, &turn)
        case .disconnected: stage.disconnected(turn)
        case .report(let report): stage.apply(report, &turn)
        case .committed: committed(&turn)
        case .timeIsUp: timeIsUp(&turn)
        case .machineSlept(let seconds): stage.makeUp(for: seconds, &turn)
        case .restored(let isStopped): restored(isStopped: isStopped, &turn)
        }
    }

    private mutating func committed(_ turn: inout Turn) {
        commitDue = nil
        stage.committed()
        owesProcess = false
        guard let run = stage.run else { return }
        if run.ending.isKilled {
            stage.run?.ending.orderKill(&turn)
        } else if run.phase == .committing {
            spawn(&turn)
        } else {
            stage.settle(&turn)
        }
    }

    /// When the next thing is due.
    private var earliestDeadline: Double? {
        [commitDue, delayedUntil, stage.earliestDeadline(policy)].lazy.compactMap { $0 }.min()
    }

    private mutating func timeIsUp(_ turn: inout Turn) {
        if let nextLook, turn.uptime - nextLook > Self.lateness {
            let late = turn.uptime - nextLook
            // The app's present work gets a moment longer.
            stage.makeUp(for: late + min(late, 1), &turn)
        }
        if turn.isDue(commitDue) { turn.persists = true }
        if turn.isDue(delayedUntil) {
            if stage.needs.isInDoubt {
                turn.registration.backoff.crashed(at: turn.now)
                turn.persists = true
            }
            stage.needs.postpone(until: nil)
            stage.meetNeeds(&turn)
        }
        if let run = stage.run, run.phase == .spawning, turn.isDue(run.phaseEnds) {
            let seconds = Int(BackgroundTimeProfile.launchTime)
            return spawnFailed("Its process did not start within \(seconds) s.", isForGood: false, &turn)
        }
        stage.timeIsUp(&turn)
    }

    /// Seconds by which an alarm may be late. If it is later than that, the daemon did not run, and probably neither
    /// did the app.
    private static let lateness = 0.1

    /// Seconds after which a change that is not durable is requested again.
    private static let commitPatience = 5.0
}
