// SPDX-License-Identifier: Apache-2.0

/// How an app's process sees itself when it connects: nothing has happened yet at its start, but the daemon may have
/// been another before.
package struct StageView: Sendable, Hashable, Codable {
    /// Nil before `didFinishLaunching` has returned; else inactive, active or background.
    package var state: LifeState?
    package var tasks: [BackgroundTask]
    /// Sessions whose `handleEvents` completion handler has not been called.
    package var unhandled: [String]
    /// Deferred tasks that it was told to start and that have not been completed; whether their handlers were entered.
    package var runningTasks: [UInt64: Bool]
    /// The last deferred tasks that it has completed: the daemon may not have heard of them.
    package var completedTasks: [TaskCompletion]
    /// Whether the process has a terminal, and Ctrl-Z is its Home button.
    package var isInTerminal: Bool
    /// Of one in a terminal, whether its process group is the foreground group; of one with a main loop of its own,
    /// whether it is seen; nil for neither.
    package var isInFront: Bool?
    /// Where its terminal or its own loop wants it, if the app has not got there yet; nil when the daemon before has
    /// carried that out, or whatever a person wanted since.
    package var isToBeInFront: Bool?
    /// When its time in background is over, as it was told last, in seconds on `CLOCK_BOOTTIME`; nil in foreground.
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
