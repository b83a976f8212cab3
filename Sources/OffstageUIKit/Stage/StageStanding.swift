// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The app's state: the requests of its code, and its reports to the daemon, sent and unsent. A value, guarded by
/// `Stage`.
package struct StageStanding: Sendable {
    package typealias Handler = @MainActor @Sendable () -> Void

    private struct OpenTask: Sendable {
        var task: BackgroundTask
        var handler: Handler?
        /// Whether the task's handler has been called in the app's current background time.
        var isExpired = false
    }

    /// The state behind `applicationState`; `launching` until the launch begins.
    package private(set) var lifeState = LifeState.launching
    /// When the background time is over, in seconds on `CLOCK_BOOTTIME`; nil for never.
    package private(set) var timeEnds: Double?
    /// Sessions whose completion handler has not been called.
    package private(set) var unhandled: [String] = []
    /// The reports that have not been sent to the daemon yet, in order.
    package private(set) var unsent: [StageReport] = []
    /// The return addresses of the calls that began unnamed tasks, by task number.
    package private(set) var callers: [Int: UInt] = [:]
    /// Whether an app with its own main loop is visible; nil if the app has not reported that.
    package private(set) var isVisible: Bool?

    /// Whether the app's terminal, or its own loop, has requested the foreground (true) or the background (false); nil
    /// once the app has reached it.
    private var isToBeInFront: Bool?
    /// The last state that was reported; nil before the launch is over.
    private var reported: LifeState?
    /// The open tasks, in the order in which they began.
    private var tasks: [OpenTask] = []
    private var nextTask = 1
    /// Whether a connection for reports exists or is about to begin. Events that occur without one are in the view with
    /// which the next connection begins.
    private var isFollowed = false

    package init() {}

    // MARK: - Requests of the app

    /// Seconds of background time left at a given time on `CLOCK_BOOTTIME`; the greatest finite number in the
    /// foreground.
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

    /// Opens a background task for a call without a name, by its return address: the task is named when it is reported.
    package mutating func beginTask(from caller: UInt, now: Double, _ handler: Handler?) -> Int {
        let id = beginTask(named: "", now: now, handler)
        callers[id] = caller
        return id
    }

    /// Ends a background task; false if it is not open.
    package mutating func endTask(_ id: Int) -> Bool {
        guard let index = tasks.firstIndex(where: { $0.task.id == id }) else { return false }
        tasks.remove(at: index)
        // Otherwise the report that the task began may not have been sent yet.
        if unsent.isEmpty { callers[id] = nil }
        report(.endedTask(id))
        return true
    }

    /// The number of the most recently begun task; 0 if there has been none.
    package var lastTask: Int { nextTask - 1 }

    /// Takes the next open task whose handler should be called now, among those with numbers up to `last`.
    ///
    /// - Returns: the task's number and its handler, if it has one; nil if there is no such task.
    package mutating func takeExpiring(upTo last: Int) -> (id: Int, handler: Handler?)? {
        guard let index = tasks.firstIndex(where: { !$0.isExpired && $0.task.id <= last }) else { return nil }
        tasks[index].isExpired = true
        return (tasks[index].task.id, tasks[index].handler)
    }

    // MARK: - Events

    package mutating func become(_ state: LifeState) {
        lifeState = state
        if isToBeInFront == lifeState.isInFront { isToBeInFront = nil }
        // This includes the background: an app that is woken there gets new time.
        for index in tasks.indices { tasks[index].isExpired = false }
    }

    package mutating func setTime(ends: Double?) { timeEnds = ends }

    /// Records that the app is about to receive a session's events; false if it has already received them and not
    /// handled them.
    package mutating func announces(_ session: String) -> Bool {
        guard !unhandled.contains(session) else { return false }
        unhandled.append(session)
        return true
    }

    /// Records that a completion handler was called; a second call has no effect.
    package mutating func handled(_ session: String) {
        guard let index = unhandled.firstIndex(of: session) else { return }
        unhandled.remove(at: index)
        report(.handled(session: session))
    }

    /// Records that the daemon may suspend the app: the app no longer waits for unhandled events.
    package mutating func prepared(_ number: Int) {
        unhandled = []
        report(.readyToSuspend(number))
    }

    package mutating func see(_ isVisible: Bool) {
        // The daemon may have moved the app since the last report.
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

    // MARK: - Reports to the daemon

    /// Begins a connection: the view contains everything that the daemon has missed, and reports follow.
    ///
    /// - Parameter terminal: whether the process group is in the foreground of its terminal; nil without a terminal.
    /// - Returns: the process's view of its own state.
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

    /// Records that the connection is lost.
    package mutating func endFollowing() {
        isFollowed = false
        unsent = []
    }

    /// Returns the reports to send, and the callers that began the unnamed tasks.
    package mutating func takeUnsent() -> (reports: [StageReport], callers: [Int: UInt]) {
        let taken = (unsent, callers)
        unsent = []
        forgetCallers()
        return taken
    }

    /// Forgets the callers of tasks that have ended.
    private mutating func forgetCallers() {
        guard !callers.isEmpty else { return }
        let open = Set(tasks.lazy.map(\.task.id))
        callers = callers.filter { open.contains($0.key) }
    }
}

extension LifeState {
    /// Whether the state is a foreground state; nil for an app that has not been launched yet.
    fileprivate var isInFront: Bool? {
        switch self {
        case .inactive, .active: true
        case .background, .suspended: false
        case .launching, .terminated: nil
        }
    }
}
