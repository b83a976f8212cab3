// SPDX-License-Identifier: Apache-2.0

/// A process's own state when it connects. When it starts, nothing has happened yet. When it connects later, the
/// earlier daemon may have ended.
package struct StageView: Sendable, Hashable, Codable {
    /// Nil before `didFinishLaunching` has returned; otherwise inactive, active or background.
    package var state: LifeState?
    package var tasks: [BackgroundTask]
    /// Sessions whose `handleEvents` completion handler has not been called.
    package var unhandled: [String]
    /// Deferred tasks that it was asked to start and that are not completed, and whether their handlers were entered.
    package var runningTasks: [UInt64: Bool]
    /// The last deferred tasks that it has completed, because the daemon may not know of them.
    package var completedTasks: [TaskCompletion]
    /// Whether the process has a terminal, and Ctrl-Z is its Home button.
    package var isInTerminal: Bool
    /// In a terminal, whether its process group is the foreground group. With its own main loop, whether it is visible.
    /// Nil for neither.
    package var isInFront: Bool?
    /// The state that its terminal or its own loop wants, if the app has not reached it yet. Nil if the previous daemon
    /// has carried out that wish, or a person's later one.
    package var isToBeInFront: Bool?
    /// The last known end of its time in background, in seconds on `CLOCK_BOOTTIME`; nil in foreground.
    package var timeEnds: Double?

    package init(
        state: LifeState? = nil,
        tasks: [BackgroundTask] = [],
        unhandled: [String] = [],
        runningTasks: [UInt64: Bool] = [:],
        completedTasks: [TaskCompletion] = [],
        isInTerminal: Bool = false,
        isInFront: Bool? = nil,
        isToBeInFront: Bool? = nil,
        timeEnds: Double? = nil
    ) {
        self.state = state
        self.tasks = tasks
        self.unhandled = unhandled
        self.runningTasks = runningTasks
        self.completedTasks = completedTasks
        self.isInTerminal = isInTerminal
        self.isInFront = isInFront
        self.isToBeInFront = isToBeInFront
        self.timeEnds = timeEnds
    }
}
