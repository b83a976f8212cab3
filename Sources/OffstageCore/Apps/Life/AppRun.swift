// SPDX-License-Identifier: Apache-2.0

/// The process that runs or is about to, as far as it matters to its app's life. It lives only as long as the process
/// and the daemon.
struct AppRun: Sendable {
    enum Phase: Sendable {
        /// It will be launched when the token is durable.
        case committing
        /// The kernel was asked to start the process.
        case spawning
        /// There is a process, and `didFinishLaunching` has not returned.
        case starting
        /// Inactive or active.
        case front
        /// Ctrl-Z: it has stopped itself, and should continue behind the terminal.
        case leaving
        /// It was sent to the background, and `applicationDidEnterBackground` has not returned.
        case entering
        /// In background with work to do, or about to be suspended.
        case running
        /// Asked to stop.
        case stopped
    }

    /// Seconds within which a lost connection must come back while the app runs in background.
    static let returnTime = 10.0

    var phase: Phase
    var cause: LaunchCause
    /// The time when the phase has lasted too long.
    var phaseEnds: Double?
    var isAttached = false
    var isInTerminal = false
    /// The last report from its terminal, or its own loop, on whether it is in front; nil without either.
    var isSeen: Bool?
    /// The time by which a lost connection must be back; otherwise the app counts as having nothing to do.
    var returnsBy: Double?
    /// The number of unconfirmed commands to enter the background.
    var backgroundAnswers = 0
    /// Whether the events of a session have been acknowledged, or become moot, since it was launched.
    var hasSettledEvents = false
    var time = BackgroundTime()
    var suspension = AppSuspension()
    /// Present until the kernel shows that the process is stopped, or runs.
    var check: SignalCheck?
    var ending = AppEnding()

    init(_ phase: Phase, cause: LaunchCause) {
        self.phase = phase
        self.cause = cause
    }

    var isBeingLaunched: Bool { phase == .committing || phase == .spawning || phase == .starting }

    /// Whether it is in background and not suspended, according to the commands.
    var runsInBackground: Bool { phase == .leaving || phase == .entering || phase == .running }

    /// Whether its handlers are timed: it is connected, and in background.
    var isTimed: Bool { isAttached && (phase == .entering || phase == .running) }

    /// A command that the process cannot have received does not count against it.
    var isPhaseTimed: Bool { phase != .entering || isAttached }

    /// Launched in background, or about to be: it has as much time as any launch.
    mutating func limitLaunch(_ turn: Turn) { phaseEnds = turn.uptime + BackgroundTimeProfile.launchTime }

    /// The process is connected, for the first time or again.
    mutating func attached(_ view: StageView) {
        isAttached = true
        returnsBy = nil
        suspension.cancel()
        backgroundAnswers = 0
        isInTerminal = view.isInTerminal
        isSeen = view.isInFront
        time.attached(with: view.tasks)
    }

    mutating func disconnected(_ turn: Turn) {
        isAttached = false
        if runsInBackground { returnsBy = turn.uptime + Self.returnTime }
    }

    /// In front, where nothing is limited.
    mutating func isInFront() {
        phase = .front
        phaseEnds = nil
        time.leaveBackground()
    }

    /// Updates the state after the daemon was asked to stop it.
    mutating func isStopped() {
        suspension.cancel()
        phase = .stopped
        phaseEnds = nil
        time.slim()
    }

    /// A process that sends no reports has nothing to do.
    mutating func isLost() {
        time.endAll()
        returnsBy = nil
        phaseEnds = nil
        phase = .running
    }

    /// Time during which the app did not run does not count against it.
    mutating func makeUp(for pause: Double) {
        phaseEnds = phaseEnds.map { $0 + pause }
        returnsBy = returnsBy.map { $0 + pause }
        ending.makeUp(for: pause)
        time.makeUp(for: pause)
    }
}
