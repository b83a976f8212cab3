// SPDX-License-Identifier: Apache-2.0

extension AppLife {
    /// The state of the process that runs or is about to. It exists only as long as the process and the daemon.
    struct Run: Sendable {
        enum Phase: Sendable {
            /// It will be launched when the token is durable.
            case committing
            /// The kernel was asked for the process.
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
            /// Told to stop.
            case stopped
        }

        /// The progress of the expiration handlers.
        enum Expiry: Sendable {
            case ahead
            /// They were called, and have to return by then.
            case called(until: Double)
            case returned
        }

        /// A session whose completion handler has not been called.
        struct Handling: Sendable {
            var session: String
            var until: Double
            var isAnnounced = false
            /// Nothing waits for the app any more.
            var isSettled = false
            /// Whether it was notified; not of events that came while it was in front, which it may already have.
            var isTold = true
            /// Whether there are more events than it was notified of.
            var hasNews = false
            /// Its completion handler was called; from then on that counts, even if the events have not been delivered.
            var endsBy: Double?
        }

        /// Until the kernel shows that it is stopped, or runs.
        struct Look: Sendable {
            /// Seconds after which the process is looked at.
            var delay: Double
            /// When an observation is overdue.
            var due: Double
            /// Whether it stopped itself, and its shell has to notice that before it continues.
            var isBehindTerminal = false
            /// Whether the opposite was requested and not yet observed: it may still happen, so an observation is
            /// repeated.
            var isDoubtful = false
        }

        struct Kill: Sendable {
            var reason: AppEntry.KillReason
            /// When it is requested again; nil before its record is durable.
            var again: Double?
            var delay = 0.1
        }

        /// A second process that will replace this one.
        struct Newcomer: Sendable {
            var identity: ProcessIdentity
            var view: StageView
        }

        /// A newcomer in memory of its own, because every app has these fields, and few have a newcomer.
        private indirect enum Waiting: Sendable {
            case nobody
            case newcomer(Newcomer)
        }

        var phase: Phase
        var cause: LaunchCause
        /// The time when the phase has lasted too long.
        var phaseEnds: Double?
        var isAttached = false
        var isInTerminal = false
        /// The last report of its terminal, or its own loop, whether it is in front; nil without either.
        var isSeen: Bool?
        /// The time by which a lost connection has to be back; otherwise the app counts as having nothing to do.
        var returnsBy: Double?

        /// The number of commands to enter the background that it has not confirmed.
        var backgroundAnswers = 0
        /// The deferred tasks that it had completed when it connected last.
        var completions: [TaskCompletion] = []
        var tasks: [BackgroundTask] = []
        /// Tasks begun after the end of all time, which do not keep it running.
        var lapsed: [Int] = []
        /// The budget of this backgrounding.
        var timeEnds: Double?
        /// Whether a task that began too late has once had a little time.
        var hasHadGrace = false
        var expiry = Expiry.ahead

        var handling: [Handling] = []
        /// Sessions whose completion handlers it did not call in time, and whose events may not all have been
        /// delivered.
        var unheard: [String] = []
        /// The progress towards its suspension; nil while something holds it, or it is not in background.
        var suspension: Suspension?
        /// How often the process was asked whether it may be suspended.
        var asked = 0
        var look: Look?
        /// `applicationWillTerminate` was called, and the process has to end by then.
        var endsBy: Double?
        var kill: Kill?
        var newcomer: Newcomer? {
            get { if case .newcomer(let newcomer) = waiting { newcomer } else { nil } }
            set { waiting = newValue.map(Waiting.newcomer) ?? .nobody }
        }
        private var waiting = Waiting.nobody
        /// How the person wants it to be launched after its end.
        var wantedAgain: LaunchCause?

        init(_ phase: Phase, cause: LaunchCause) {
            self.phase = phase
            self.cause = cause
        }

        var isEnding: Bool { kill != nil || endsBy != nil }

        var isBeingLaunched: Bool { phase == .committing || phase == .spawning || phase == .starting }

        /// Whether it is in background and not suspended, according to the commands.
        var runsInBackground: Bool { phase == .leaving || phase == .entering || phase == .running }

        var hasCountedTasks: Bool { tasks.contains { !lapsed.contains($0.id) } }

        /// The open tasks and how long each was held, for the story.
        func held(at uptime: Double) -> [AppEntry.HeldTask] {
            tasks.map { AppEntry.HeldTask(name: $0.name, seconds: max(0, uptime - $0.beganAt)) }
        }

        /// Frees the memory of empty lists: it may be suspended for long, and one of thousands.
        mutating func slim() {
            if tasks.isEmpty { tasks = [] }
            if lapsed.isEmpty { lapsed = [] }
            if handling.isEmpty { handling = [] }
        }

        /// Forgets the state of the former backgrounding.
        mutating func beginBackground(timeEnds: Double) {
            self.timeEnds = timeEnds
            expiry = .ahead
            hasHadGrace = false
            lapsed = []
        }
    }

    /// Seconds for the delivery of a session's events after its completion handler was called, because some apps call
    /// it at once.
    static let settlingTime = 2.0

    /// Seconds for a lost connection to come back while the app runs in background.
    static let returnTime = 10.0
}
