// SPDX-License-Identifier: Apache-2.0

/// The life cycle of one app: its state, the actions that follow from events, and the time of the next look.
///
/// A pure value: the daemon carries out its actions and reports their results. After `handle(.attached)` the process is
/// the app's if `process` says so, and is answered when `owesProcess` is false. It waits for the end of the former
/// process if `waitingProcess` says so, and is refused otherwise.
package struct AppLife: Sendable {
    /// The policy that decides besides events.
    package struct Policy: Sendable, Hashable {
        package var time: BackgroundTimeProfile
        /// Apple's rate limiter.
        package var isStrict: Bool
        /// Seconds from the end of the last hold to the question whether the process may be suspended.
        package var suspendGrace: Double

        package init(time: BackgroundTimeProfile = .ios13, isStrict: Bool = false, suspendGrace: Double = 0.25) {
            self.time = time
            self.isStrict = isStrict
            self.suspendGrace = suspendGrace
        }
    }

    /// The stored part; `handle` changes it and then requests `persist`.
    package internal(set) var registration: AppRegistration
    package internal(set) var state: LifeState
    package var policy: Policy
    /// Seconds on the boot-time clock at which `timeIsUp` is due; nil for never.
    package internal(set) var nextLook: Double?
    /// Seconds on the boot-time clock before which it is not launched, or woken, for its sessions; nil if nothing is
    /// postponed.
    package internal(set) var delayedUntil: Double?

    /// Nil while there is no process and no launch.
    var run: Run?
    /// Sessions whose events wait for the app, in the order in which they asked.
    var needs: [String] = []
    /// Deferred tasks that it runs or should run, in the order of the requests.
    var works: [Work] = []
    /// When to request again what is not durable yet; nil if everything is.
    var commitDue: Double?
    /// Whether a change of `registration.isInForeground` is not durable yet.
    var owesStage = false
    /// Whether the app's new process, started by somebody else, is not durable yet. It is not answered before:
    /// otherwise the next daemon would not know it and launch a second one.
    package internal(set) var owesProcess = false

    package init(_ registration: AppRegistration, policy: Policy) {
        self.registration = registration
        self.policy = policy
        state = .terminated
    }

    /// Open background tasks.
    package var tasks: [BackgroundTask] { run?.tasks ?? [] }

    /// The app's one process, as soon as its number is known.
    package var process: ProcessIdentity? { registration.process?.identity }

    /// Whether the daemon launched the process.
    package var isChild: Bool { registration.process?.isChild ?? false }

    /// A connected process that becomes the app's as soon as the former one has ended.
    package var waitingProcess: ProcessIdentity? { run?.newcomer?.identity }

    /// Why the process was launched, for the answer to `app.attach`. Nil if there is none.
    package var launchCause: LaunchCause? { run?.cause }

    /// The end of its time in background; nil while it is in front or does not run.
    package var timeEnds: Double? { state == .background || state == .launching ? backgroundEnds : nil }

    /// Whether its process is connected.
    package var isAttached: Bool { run?.isAttached ?? false }

    /// Whether the process has a terminal: only SIGSTOP may suspend it.
    package var isInTerminal: Bool { run?.isInTerminal ?? false }
    /// Whether it is in background because another group has its terminal: once it has the terminal again, it is in
    /// front.
    package var isBehindTerminal: Bool { isInTerminal && run?.isSeen == false }

    /// Whether nothing holds it, and it is not suspended yet.
    package var isAboutToBeSuspended: Bool { run?.suspension != nil }

    /// Why its process is being killed or was told to end; nil if it should live.
    package var isEnding: Bool { run?.isEnding ?? false }

    /// Takes the app's facts from an installation or the last foreground launch; stored with the next `persist`.
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

    /// Handles one event.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - now: when.
    ///   - token: a fresh random text, for a launch.
    /// - Returns: the actions, in order.
    package mutating func handle(_ event: AppEvent, now: Moment, token: @autoclosure () -> String) -> [AppAction] {
        var turn = Turn(now)
        take(event, &turn)
        if !works.isEmpty { tellOfWorks(&turn) }
        if let cause = turn.launches { start(cause, token: token(), &turn) }
        reviewSuspension()
        if turn.persists {
            turn.actions.append(.persist)
            commitDue = now.uptime + Self.commitPatience
        }
        nextLook = earliestDeadline
        return turn.actions
    }

    private mutating func take(_ event: AppEvent, _ turn: inout Turn) {
        switch event {
        case .launch(.person), .foreground: foreground(&turn)
        case .launch(.personInBackground): launchInBackground(&turn)
        case .launch(.sessionEvents(let session)), .sessionNeedsApp(let session): need(session, &turn)
        case .sessionSettled(let session): settled(session, &turn)
        case .transfersCancelled: transfersCancelled(&turn)
        case .background: background(&turn)
        case .quit(let keepsTransfers): quit(keepsTransfers: keepsTransfers, &turn)
        case .terminate: terminate(&turn)
        case .reclaim: reclaim(&turn)
        case .memoryWarning: warn(&turn)
        case .launch(.task(let identifier)): launchForTask(identifier, &turn)
        case .startTask(let launch): startTask(launch, &turn)
        case .resumeTask(let launch): resumeTask(launch, &turn)
        case .expireTask(let number, let expiry): expireTask(number, expiry, &turn)
        case .spawned(let identity): spawned(identity, &turn)
        case .spawnFailed(let reason, let isForGood): spawnFailed(reason, isForGood: isForGood, &turn)
        case .observed(let isStopped): observed(isStopped: isStopped, &turn)
        case .ended(let end): ended(end, &turn)
        case .attached(let identity, let view): attached(identity, view, &turn)
        case .disconnected: disconnected(&turn)
        case .report(let report): take(report, &turn)
        case .committed: committed(&turn)
        case .timeIsUp: timeIsUp(&turn)
        case .machineSlept(let seconds): makeUp(for: seconds, &turn)
        case .restored(let isStopped): restored(isStopped: isStopped, &turn)
        }
    }

    private mutating func committed(_ turn: inout Turn) {
        commitDue = nil
        owesStage = false
        owesProcess = false
        guard let run else { return }
        if run.kill != nil {
            orderKill(&turn)
        } else if run.phase == .committing {
            spawn(&turn)
        } else {
            settle(&turn)
        }
    }

    /// Its new state and the reason, for its story.
    mutating func move(to next: LifeState, _ cause: AppEntry.Cause, _ turn: inout Turn) {
        guard next != state else { return }
        turn.record(.moved(from: state, to: next, cause))
        state = next
    }

    mutating func setStage(isInForeground: Bool, _ turn: inout Turn) {
        guard registration.isInForeground != isInForeground else { return }
        registration.isInForeground = isInForeground
        owesStage = true
        turn.persists = true
    }

    /// Seconds after which a change that is not durable is requested again.
    static let commitPatience = 5.0
}

/// The handling of one event: its time, and the actions.
struct Turn {
    let now: Moment
    var actions: [AppAction] = []
    /// `persist` comes last: only actions after `committed` wait for it.
    var persists = false
    var launches: LaunchCause?

    init(_ now: Moment) { self.now = now }

    var uptime: Double { now.uptime }

    mutating func act(_ action: AppAction) { actions.append(action) }

    mutating func record(_ happening: AppEntry.Happening) { actions.append(.record(AppEntry(at: now, happening))) }
}
