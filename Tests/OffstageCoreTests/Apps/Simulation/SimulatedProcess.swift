// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A process with an app in it. It follows `StageScript` on a main thread that may hang, and holds background tasks.
struct SimulatedProcess {
    let identity: ProcessIdentity
    /// Nil if the daemon did not launch the process.
    let token: String?
    /// Never calls `UIApplicationMain`.
    var isPlain = false
    var isStopped = false
    var hasBegun = false
    /// What its code sees; nil before `didFinishLaunching` has returned.
    var state: LifeState?
    var seen = LifeState.inactive

    /// Commands that have arrived, and the steps of the one being carried out.
    var inbox: [StageCommand] = []
    var steps: [StageScript.Step] = []
    var isWorking = false
    var isHung = false
    var tasks: [BackgroundTask] = []
    var nextTask = 1
    var unhandled: [String] = []
    /// Deferred tasks that it was asked to start, with whether their handlers were entered, and those that are done.
    var runningTasks: [UInt64: Bool] = [:]
    var completedTasks: [TaskCompletion] = []

    /// Its connection; nil without one.
    var link: Int?
    /// Whether the daemon has accepted it as the app's process.
    var isAccepted = false
    /// Whether it may still be carrying out commands from a connection that was lost.
    var isBehindHand = false
    /// Its reports from before it was accepted.
    var held: [StageReport] = []
    /// Commands to send as soon as it is accepted.
    var heldCommands: [StageCommand] = []
    /// Messages on a connection stay in order.
    var lastSent = 0.0
    var lastReceived = 0.0

    var isInTerminal = false
    var isTerminalsOwn = false
    var isToBeInFront: Bool?
    /// Stopped by Ctrl-Z while it had no connection, like any program: only its shell continues it.
    var isLeftToShell = false
    /// Events that would have happened while it was stopped.
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

    /// Records whether the terminal has it in front: the last command counts, until the app has followed it.
    mutating func said(isInFront: Bool) { isToBeInFront = isInFront == isSeenInFront ? nil : isInFront }

    mutating func become(_ state: LifeState) {
        seen = state
        if isToBeInFront == isSeenInFront { isToBeInFront = nil }
    }

    private var isSeenInFront: Bool { seen == .inactive || seen == .active }

    /// Whether it was notified that it is in background, and has not begun to handle that.
    var isToEnterBackground: Bool {
        inbox.contains { if case .enterBackground = $0 { true } else { false } }
    }

    /// Whether it has anything to do that would keep it running.
    var isBusy: Bool {
        isHung || !tasks.isEmpty || !unhandled.isEmpty || !runningTasks.isEmpty || !steps.isEmpty || !inbox.isEmpty
    }
}
