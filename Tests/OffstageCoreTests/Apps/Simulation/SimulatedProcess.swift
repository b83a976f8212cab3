// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A process with an app in it: follows `StageScript` on a main thread that may hang, and holds background tasks.
struct SimulatedProcess {
    let identity: ProcessIdentity
    /// Nil for one that the daemon did not launch.
    let token: String?
    /// Never calls `UIApplicationMain`.
    var isPlain = false
    var isStopped = false
    var hasBegun = false
    /// What its code sees; nil before `didFinishLaunching` has returned.
    var state: LifeState?
    var seen = LifeState.inactive

    /// Commands that have arrived, and the steps of the one that is being carried out.
    var inbox: [StageCommand] = []
    var steps: [StageScript.Step] = []
    var isWorking = false
    var isHung = false
    var tasks: [BackgroundTask] = []
    var nextTask = 1
    var unhandled: [String] = []
    /// Deferred tasks that it was told to start, with whether their handlers were entered, and those that are done.
    var runningTasks: [UInt64: Bool] = [:]
    var completedTasks: [TaskCompletion] = []

    /// Its connection; nil without one.
    var link: Int?
    /// Whether the daemon has taken it as the app's process.
    var isAccepted = false
    /// Whether it may still be carrying out what it was told through a connection that was lost.
    var isBehindHand = false
    /// What it said before it was.
    var held: [StageReport] = []
    /// What it is told as soon as it is answered.
    var heldCommands: [StageCommand] = []
    /// Nothing overtakes anything on a connection.
    var lastSent = 0.0
    var lastReceived = 0.0

    var isInTerminal = false
    var isTerminalsOwn = false
    var isToBeInFront: Bool?
    /// Stopped by Ctrl-Z while it had no connection, as any program: only its shell continues it.
    var isLeftToShell = false
    /// What would have happened while it was stopped.
    var deferred: [SimulatedHappening] = []

    init(_ identity: ProcessIdentity, token: String?) {
        self.identity = identity
        self.token = token
    }

    var view: StageView {
        StageView(
            state: state,
            tasks: tasks,
            unhandled: unhandled,
            runningTasks: runningTasks,
            completedTasks: completedTasks,
            isInTerminal: isInTerminal,
            isInFront: isInTerminal ? isTerminalsOwn : nil,
            isToBeInFront: isToBeInFront
        )
    }

    /// The terminal has it in front, or not: what was said of that last, until the app is there.
    mutating func said(isInFront: Bool) { isToBeInFront = isInFront == isSeenInFront ? nil : isInFront }

    mutating func become(_ state: LifeState) {
        seen = state
        if isToBeInFront == isSeenInFront { isToBeInFront = nil }
    }

    private var isSeenInFront: Bool { seen == .inactive || seen == .active }

    /// Whether it was told that it is in background, and has not begun with that.
    var isToEnterBackground: Bool {
        inbox.contains { if case .enterBackground = $0 { true } else { false } }
    }

    /// Whether it has anything to do that would keep it running.
    var isBusy: Bool {
        isHung || !tasks.isEmpty || !unhandled.isEmpty || !runningTasks.isEmpty || !steps.isEmpty || !inbox.isEmpty
    }
}
