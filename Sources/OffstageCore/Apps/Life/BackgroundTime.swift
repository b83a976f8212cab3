// SPDX-License-Identifier: Apache-2.0

/// The background tasks of a process, the time in background that all of them share, and the progress of their expiration
/// handlers.
///
/// From entering the background to returning to the front the time has an end, and the handlers are called once for
/// each end. The app's deferred work may end later: the parameter `ends` is then the end of all its time.
package struct BackgroundTime: Sendable {
    /// The progress of the expiration handlers.
    private enum Expiry: Sendable {
        case ahead
        /// They were called, and must return by then.
        case called(until: Double)
        case returned
    }

    package private(set) var tasks: [BackgroundTask] = []
    /// Tasks begun after the end of all time, which do not keep the app running.
    private var lapsed: Set<Int> = []
    /// The budget of this backgrounding; nil in front.
    package private(set) var ends: Double?
    /// Whether a task that began too late has already had a little time.
    package private(set) var hasHadGrace = false
    private var expiry = Expiry.ahead

    package init() {}

    /// Whether a task keeps the app running.
    package var isHeld: Bool { tasks.contains { !lapsed.contains($0.id) } }

    /// Whether the handlers were called and have not returned.
    package var isExpiring: Bool { if case .called = expiry { true } else { false } }

    // MARK: The budget

    /// Begins a new budget and forgets the former backgrounding.
    package mutating func begin(until ends: Double) {
        self.ends = ends
        expiry = .ahead
        hasHadGrace = false
        lapsed = []
    }

    /// The app is launched in background: its time begins, unless it has begun already.
    package mutating func beginLaunch(_ turn: Turn) { ends = ends ?? turn.uptime + turn.policy.time.taskTime }

    /// The app is in front.
    package mutating func leaveBackground() { ends = nil }

    /// It runs again for a task that began before it was suspended.
    package mutating func goOn() { expiry = .ahead }

    /// The background tasks shared the time of the app's deferred work. If the work ends early, they are not late.
    package mutating func keepWarning(_ turn: Turn) {
        let least = turn.uptime + turn.policy.time.warning
        if let ends, ends < least, case .ahead = expiry { self.ends = least }
    }

    // MARK: The tasks

    /// The process is connected with these tasks.
    package mutating func attached(with tasks: [BackgroundTask]) {
        self.tasks = tasks
        lapsed.formIntersection(tasks.map(\.id))
        if isExpiring, !isHeld { expiry = .returned }
    }

    /// - Returns: false if the task is already known, or is one too many.
    package mutating func add(_ task: BackgroundTask) -> Bool {
        guard tasks.count < StageBudget().backgroundTasks else { return false }
        guard !tasks.contains(where: { $0.id == task.id }) else { return false }
        tasks.append(task)
        return true
    }

    /// The task keeps nothing running.
    package mutating func lapse(_ task: BackgroundTask) { lapsed.insert(task.id) }

    /// An added task was begun in background: near the end, its handler is called at once.
    package mutating func began(_ task: BackgroundTask, ends: Double, _ turn: inout Turn) {
        let warning = turn.policy.time.warning
        if turn.uptime < ends - warning { return }
        if turn.uptime < ends {
            expiry = .called(until: ends)
        } else if hasHadGrace {
            // Otherwise an app that begins a task whenever another expires would run for ever.
            lapse(task)
            expiry = .called(until: turn.uptime + warning)
        } else {
            hasHadGrace = true
            self.ends = turn.uptime + warning
            expiry = .called(until: turn.uptime + warning)
            turn.act(.send(.backgroundTime(ends: self.ends)))
        }
        callHandlers(&turn)
    }

    package mutating func ended(_ id: Int) {
        tasks.removeAll { $0.id == id }
        lapsed.remove(id)
    }

    /// Forgets the tasks of a process that is lost.
    package mutating func endAll() {
        tasks = []
        lapsed = []
    }

    /// The open tasks and how long each was held, for the story.
    package func held(at uptime: Double) -> [AppEntry.HeldTask] {
        tasks.map { AppEntry.HeldTask(name: $0.name, seconds: max(0, uptime - $0.beganAt)) }
    }

    // MARK: The handlers

    /// When to call the handlers, or to kill the process.
    package func expiryDue(ends: Double, _ policy: AppLife.Policy) -> Double? {
        switch expiry {
        case .ahead: isHeld ? ends - policy.time.warning : nil
        case .called(let until): until
        case .returned: isHeld ? ends : nil
        }
    }

    /// - Returns: whether the handlers have been called before and the time is over.
    package mutating func expiryIsDue(ends: Double, _ turn: inout Turn) -> Bool {
        guard case .ahead = expiry else { return true }
        let warning = turn.policy.time.warning
        // If this is late, the handlers still get their full time.
        let until = turn.uptime > ends - warning / 2 ? turn.uptime + warning : ends
        if until > ends {
            self.ends = until
            turn.act(.send(.backgroundTime(ends: until)))
        }
        expiry = .called(until: until)
        callHandlers(&turn)
        return false
    }

    /// - Returns: whether they had been called.
    package mutating func handlersReturned() -> Bool {
        guard isExpiring else { return false }
        expiry = .returned
        return true
    }

    private func callHandlers(_ turn: inout Turn) {
        turn.act(.send(.expire))
        turn.record(.expiring(tasks: held(at: turn.uptime)))
    }

    // MARK: Pauses

    /// Time during which the app did not run does not count against it.
    package mutating func makeUp(for pause: Double) {
        ends = ends.map { $0 + pause }
        if case .called(let until) = expiry { expiry = .called(until: until + pause) }
    }

    /// Frees the memory of empty lists: the app may be suspended for a long time, and be one of thousands.
    package mutating func slim() {
        if tasks.isEmpty { tasks = [] }
        if lapsed.isEmpty { lapsed = [] }
    }
}
