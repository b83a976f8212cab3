// SPDX-License-Identifier: Apache-2.0

extension AppLife {
    /// What is known of the process that runs, or is about to: it lasts no longer than the process, or the daemon.
    struct Run: Sendable {
        enum Phase: Sendable {
            /// It is launched when the token is durable.
            case committing
            /// The kernel was asked for the process.
            case spawning
            /// There is a process, and `didFinishLaunching` has not returned.
            case starting
            /// Inactive or active.
            case front
            /// Ctrl-Z: it has stopped itself, and is to go on behind the terminal.
            case leaving
            /// It was told that it is in background, and `applicationDidEnterBackground` has not returned.
            case entering
            /// In background with something to do, or to be stopped as soon as that may be.
            case running
            /// Told to stop.
            case stopped
        }

        /// How far the expiration handlers are.
        enum Expiry: Sendable {
            case ahead
            /// They were called, and return by then.
            case called(until: Double)
            case returned
        }

        /// A session whose completion handler is waited for.
        struct Handling: Sendable {
            var session: String
            var until: Double
            var isAnnounced = false
            /// Nothing waits for the app any more.
            var isSettled = false
            /// Whether it was told; it was not of what came about while it was in front and might have it already.
            var isTold = true
            /// Whether more has come about than it was told of.
            var hasNews = false
            /// Its completion handler was called; by then that counts, whether or not the events have gone over.
            var endsBy: Double?
        }

        /// Until the kernel shows that it is stopped, or runs.
        struct Look: Sendable {
            /// Seconds after which the kernel is looked at.
            var delay: Double
            /// When an observation is overdue.
            var due: Double
            /// Whether it stopped itself, and its shell is to see that before it is continued.
            var isBehindTerminal = false
            /// Whether the opposite had been asked for and not been seen: it may still come, and what is seen is looked
            /// at once more.
            var isDoubtful = false
        }

        struct Kill: Sendable {
            var reason: AppEntry.KillReason
            /// When it is asked for again; nil before its record is durable.
            var again: Double?
            var delay = 0.1
        }

        /// A second process that takes the place of this one.
        struct Newcomer: Sendable {
            var identity: ProcessIdentity
            var view: StageView
        }

        /// A newcomer on its own piece of memory: every app has room for what is kept here, and hardly one has a newcomer.
        private indirect enum Waiting: Sendable {
            case nobody
            case newcomer(Newcomer)
        }

        var phase: Phase
        var cause: LaunchCause
        /// When the phase has lasted too long.
        var phaseEnds: Double?
        var isAttached = false
        var isInTerminal = false
        /// What its terminal, or its own loop, said last of its being in front; nil for neither.
        var isSeen: Bool?
        /// A lost connection is back by then, or the app counts as one that has nothing to do.
        var returnsBy: Double?

        /// How often it has been told that it is in background, and has not said that it is.
        var backgroundAnswers = 0
        /// The deferred tasks that it had completed when it connected last.
        var completions: [TaskCompletion] = []
        var tasks: [BackgroundTask] = []
        /// Tasks that were begun when all time was over: they do not keep it running.
        var lapsed: [Int] = []
        /// The budget of this backgrounding.
        var timeEnds: Double?
        /// Whether a task that was begun too late has had a little time once.
        var hasHadGrace = false
        var expiry = Expiry.ahead

        var handling: [Handling] = []
        /// Sessions that it was told of, whose completion handlers it has not called in time, and whose events may not all
        /// have gone over.
        var unheard: [String] = []
        /// How far it is from its stop; nil while something holds it, or it is not in background.
        var suspension: Suspension?
        /// How often the process was asked whether it may be stopped.
        var asked = 0
        var look: Look?
        /// `applicationWillTerminate` was called, and the process ends by then.
        var endsBy: Double?
        var kill: Kill?
        var newcomer: Newcomer? {
            get { if case .newcomer(let newcomer) = waiting { newcomer } else { nil } }
            set { waiting = newValue.map(Waiting.newcomer) ?? .nobody }
        }
        private var waiting = Waiting.nobody
        /// How the person wants it again when it has ended.
        var wantedAgain: LaunchCause?

        init(_ phase: Phase, cause: LaunchCause) {
            self.phase = phase
            self.cause = cause
        }

        var isEnding: Bool { kill != nil || endsBy != nil }

        var isBeingLaunched: Bool { phase == .committing || phase == .spawning || phase == .starting }

        /// Whether it is in background and not stopped, as far as orders go.
        var runsInBackground: Bool { phase == .leaving || phase == .entering || phase == .running }

        var hasCountedTasks: Bool { tasks.contains { !lapsed.contains($0.id) } }

        /// The open tasks and how long each was held, for the story.
        func held(at uptime: Double) -> [AppEntry.HeldTask] {
            tasks.map { AppEntry.HeldTask(name: $0.name, seconds: max(0, uptime - $0.beganAt)) }
        }

        /// Gives up the room of lists that are empty: it may be stopped for long, and one of thousands.
        mutating func slim() {
            if tasks.isEmpty { tasks = [] }
            if lapsed.isEmpty { lapsed = [] }
            if handling.isEmpty { handling = [] }
        }

        /// Forgets what belonged to the backgrounding before.
        mutating func beginBackground(timeEnds: Double) {
            self.timeEnds = timeEnds
            expiry = .ahead
            hasHadGrace = false
            lapsed = []
        }
    }

    /// Seconds that a session's events may take to go over after its completion handler was called: some apps call it
    /// at once.
    static let settlingTime = 2.0

    /// Seconds that a lost connection may take to come back while the app runs in background.
    static let returnTime = 10.0
}
