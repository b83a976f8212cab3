// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// How it stands with the app: what its code asks, what the daemon is told and has to be told. A value; `Stage` guards it.
package struct StageStanding: Sendable {
    package typealias Handler = @MainActor @Sendable () -> Void

    private struct OpenTask: Sendable {
        var task: BackgroundTask
        var handler: Handler?
        /// Whether its handler has been called in the time that the app has now.
        var isExpired = false
    }

    /// What `applicationState` reads; `launching` until the launch begins.
    package private(set) var lifeState = LifeState.launching
    /// When the time in background is over, in seconds on `CLOCK_BOOTTIME`; nil for never.
    package private(set) var timeEnds: Double?
    /// Sessions whose completion handler has not been called.
    package private(set) var unhandled: [String] = []
    /// What the daemon has not been told yet, in order.
    package private(set) var unsent: [StageReport] = []
    /// Where the tasks were begun that have no name: return addresses, by the tasks' numbers.
    package private(set) var callers: [Int: UInt] = [:]
    /// Whether an app with a main loop of its own is seen; nil for one that has not said so.
    package private(set) var isVisible: Bool?

    /// Whether its terminal, or its own loop, has brought it to the front or taken it from there since it was last where
    /// that says; nil when it has got there.
    private var isToBeInFront: Bool?
    /// The last state that was reported; nil before the launch is over.
    private var reported: LifeState?
    /// In the order in which they were begun.
    private var tasks: [OpenTask] = []
    private var nextTask = 1
    /// Whether there is, or is about to be, a connection that reports go over. What happens without one is told by the
    /// view that the next begins with.
    private var isFollowed = false

    package init() {}

    // MARK: - What the app asks

    /// Seconds left in background at a time on `CLOCK_BOOTTIME`; the greatest finite number in foreground.
    package func timeRemaining(now: Double) -> Double {
        guard lifeState == .background, let timeEnds else { return .greatestFiniteMagnitude }
        return max(0, timeEnds - now)
    }

    /// Opens a background task.
    ///
    /// - Returns: its number.
    package mutating func beginTask(named name: String, now: Double, _ handler: Handler?) -> Int {
        let task = BackgroundTask(id: nextTask, name: name, beganAt: now)
        nextTask += 1
        tasks.append(OpenTask(task: task, handler: handler))
        report(.beganTask(task))
        return task.id
    }

    /// As above, of a call that gives no name, by its return address: the task is named where it is told.
    package mutating func beginTask(from caller: UInt, now: Double, _ handler: Handler?) -> Int {
        let id = beginTask(named: "", now: now, handler)
        callers[id] = caller
        return id
    }

    /// Ends a background task; false when it is not open.
    package mutating func endTask(_ id: Int) -> Bool {
        guard let index = tasks.firstIndex(where: { $0.task.id == id }) else { return false }
        tasks.remove(at: index)
        // That it began may not be told yet.
        if unsent.isEmpty { callers[id] = nil }
        report(.endedTask(id))
        return true
    }

    /// The number of the last task that was begun; 0 for none.
    package var lastTask: Int { nextTask - 1 }

    /// Takes the next open task whose handler is to be called now, among those up to a number.
    ///
    /// - Returns: its number and its handler, if it has one; nil when there is no such task.
    package mutating func takeExpiring(upTo last: Int) -> (id: Int, handler: Handler?)? {
        guard let index = tasks.firstIndex(where: { !$0.isExpired && $0.task.id <= last }) else { return nil }
        tasks[index].isExpired = true
        return (tasks[index].task.id, tasks[index].handler)
    }

    // MARK: - What happens

    package mutating func become(_ state: LifeState) {
        lifeState = state
        if isToBeInFront == lifeState.isInFront { isToBeInFront = nil }
        // Also in background: one that is woken there has time anew.
        for index in tasks.indices { tasks[index].isExpired = false }
    }

    package mutating func setTime(ends: Double?) { timeEnds = ends }

    /// The app is about to be told of a session's events; false when it has been, and has not handled them.
    package mutating func announces(_ session: String) -> Bool {
        guard !unhandled.contains(session) else { return false }
        unhandled.append(session)
        return true
    }

    /// A completion handler was called; nothing comes of calling it twice.
    package mutating func handled(_ session: String) {
        guard let index = unhandled.firstIndex(of: session) else { return }
        unhandled.remove(at: index)
        report(.handled(session: session))
    }

    /// The daemon may stop the app: whatever was not handled by now, it does not wait for any more.
    package mutating func prepared(_ number: Int) {
        unhandled = []
        report(.readyToSuspend(number))
    }

    package mutating func see(_ isVisible: Bool) {
        // The daemon may have moved the app since this was said last.
        guard self.isVisible != isVisible || lifeState.isInFront != isVisible else { return }
        self.isVisible = isVisible
        report(.visible(isVisible))
    }

    package mutating func report(_ report: StageReport) {
        switch report {
        case .launched: reported = lifeState
        case .state(let state): reported = state
        case .visible(let isInFront), .terminal(let isInFront):
            isToBeInFront = lifeState.isInFront == isInFront ? nil : isInFront
        case .leftTerminal: isToBeInFront = lifeState.isInFront == false ? nil : false
        default: break
        }
        if isFollowed { unsent.append(report) }
    }

    // MARK: - What the daemon is told

    /// A connection begins: the daemon learns from the view what it has missed, and hears of what comes after it.
    ///
    /// - Parameter terminal: whether the process group is in front of its terminal; nil without a terminal.
    /// - Returns: how the process sees itself.
    package mutating func beginFollowing(terminal: Bool?) -> StageView {
        isFollowed = true
        unsent = []
        forgetCallers()
        return StageView(
            state: reported,
            tasks: tasks.map(\.task),
            unhandled: unhandled,
            isInTerminal: terminal != nil,
            isInFront: isVisible ?? terminal,
            isToBeInFront: isToBeInFront,
            timeEnds: reported == .background ? timeEnds : nil
        )
    }

    /// The connection is lost.
    package mutating func endFollowing() {
        isFollowed = false
        unsent = []
    }

    /// Hands over what is to be sent, and where the tasks without a name were begun.
    package mutating func takeUnsent() -> (reports: [StageReport], callers: [Int: UInt]) {
        let taken = (unsent, callers)
        unsent = []
        forgetCallers()
        return taken
    }

    /// Of tasks that are over.
    private mutating func forgetCallers() {
        guard !callers.isEmpty else { return }
        let open = Set(tasks.lazy.map(\.task.id))
        callers = callers.filter { open.contains($0.key) }
    }
}

extension LifeState {
    /// Nil for an app that is not launched yet.
    fileprivate var isInFront: Bool? {
        switch self {
        case .inactive, .active: true
        case .background, .suspended: false
        case .launching, .terminated: nil
        }
    }
}
