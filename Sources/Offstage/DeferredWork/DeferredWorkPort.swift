// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import Synchronization

/// Takes deferred tasks to the handlers that the app has registered. Called on any thread.
package protocol DeferredWorkHandler: AnyObject, Sendable {
    /// Has the handler of a task's identifier called.
    ///
    /// - Parameters:
    ///   - launch: the task.
    ///   - turn: what `DeferredWorkPort.enter` is to be told.
    /// - Returns: false when there is none.
    func start(_ launch: TaskLaunch, turn: UInt64) -> Bool

    /// The daemon has asked for a task that runs already: it may not know how far that is.
    func startAgain(_ number: UInt64)

    /// A running task's time is over.
    func expire(_ number: UInt64, _ expiry: TaskExpiry)

    /// A task whose handler has not been entered does not run: it may be started anew.
    func leaveOut(_ number: UInt64)
}

/// Where the two sides of deferred work in a process meet: the app's life, which hears the daemon's commands and reports
/// to it, and the task scheduler, which has the handlers. One of a process; from any thread.
///
/// What happens to a task is written down here before it is reported: a report that is lost with its connection is made
/// good by `view`, with which the next connection begins.
package final class DeferredWorkPort: Sendable {
    package typealias Work = @Sendable () -> Void

    /// How far the app's launch is.
    package enum Standing: Sendable {
        /// The program has not entered the stage: nothing launches or wakes it.
        case offStage
        case launching
        /// `didFinishLaunching` has returned.
        case launched
    }

    private struct State: Sendable {
        var standing = Standing.offStage
        var runs = DeferredRuns()
        /// In the order in which they have come.
        var handlers: [any DeferredWorkHandler] = []
        /// Whose the tasks are that are on their way to their handlers, or there.
        var takers: [UInt64: any DeferredWorkHandler] = [:]
        var report: @Sendable (StageReport) -> Void = { _ in }
        var flush: Work = {}
        var onMain: @Sendable (@escaping Work) -> Void = { $0() }
    }

    package static let shared = DeferredWorkPort()

    private let state = Mutex(State())

    package init() {}

    // MARK: - The app's life

    /// The app enters the stage.
    ///
    /// - Parameters:
    ///   - report: tells the daemon, in order, soon.
    ///   - flush: returns when what was reported is on its way, or cannot be for now.
    ///   - onMain: has something done on the main thread, later.
    package func enterStage(
        report: @escaping @Sendable (StageReport) -> Void,
        flush: @escaping Work,
        onMain: @escaping @Sendable (@escaping Work) -> Void
    ) {
        state.withLock { state in
            state.standing = .launching
            state.report = report
            state.flush = flush
            state.onMain = onMain
        }
    }

    /// `didFinishLaunching` has returned.
    package func launchIsOver() { state.withLock { $0.standing = .launched } }

    /// What `StageView` says of deferred tasks.
    package var view: (running: [UInt64: Bool], completed: [TaskCompletion]) {
        state.withLock { ($0.runs.running, $0.runs.completed) }
    }

    /// The daemon wants a task to be run. Asked again, it hears again what it has been told.
    package func start(_ launch: TaskLaunch) {
        let number = launch.number
        let (start, handlers, taker) = state.withLock { ($0.runs.start(number), $0.handlers, $0.takers[number]) }
        switch start {
        case .completed(let completion): report(.taskCompleted(completion))
        case .running(let isEntered):
            // One that waits for its queue is reported when its turn comes.
            if isEntered { report(.taskEntered(number)) }
            taker?.startAgain(number)
        case .new(let turn):
            for handler in handlers {
                // Before it is asked: it may be told to end at any moment from then on.
                state.withLock { $0.takers[number] = handler }
                if handler.start(launch, turn: turn) { return }
            }
            state.withLock { state in
                state.runs.forget(number)
                state.takers[number] = nil
            }
            report(.taskUnclaimed(number))
        }
    }

    /// A task's time is over. Of one that has been completed the daemon hears so again; one whose handler was not
    /// entered, since its queue had other things to do, is not begun, which the daemon hears as well.
    ///
    /// - Returns: false when no such task is known here.
    @discardableResult
    package func expire(_ number: UInt64, _ expiry: TaskExpiry) -> Bool {
        let (outcome, taker) = state.withLock { state -> (DeferredRuns.Expiry, (any DeferredWorkHandler)?) in
            let outcome = state.runs.expire(number)
            defer { if outcome == .leftOut { state.takers[number] = nil } }
            return (outcome, state.takers[number])
        }
        switch outcome {
        case .unknown: return false
        case .completed(let completion): report(.taskCompleted(completion))
        case .running: taker?.expire(number, expiry)
        case .leftOut:
            taker?.leaveOut(number)
            report(.taskLeftOut(number))
        }
        return true
    }

    // MARK: - The task scheduler

    package var standing: Standing { state.withLock { $0.standing } }

    /// Each is asked for a task in turn until one has it, and that alone hears of it from then on.
    package func addHandler(_ handler: any DeferredWorkHandler) { state.withLock { $0.handlers.append(handler) } }

    /// The handler is about to be called: the daemon hears of it before, however soon the process ends, and will not begin
    /// the task again.
    ///
    /// - Returns: false when the task was completed or left out meanwhile, and the handler must not be called.
    package func enter(_ number: UInt64, turn: UInt64) -> Bool {
        guard state.withLock({ $0.runs.enter(number, turn: turn) }) else { return false }
        report(.taskEntered(number))
        let flush = state.withLock { $0.flush }
        flush()
        return true
    }

    /// The task is over; nothing comes of saying so twice.
    package func complete(_ number: UInt64, success: Bool) {
        let completion = TaskCompletion(number: number, success: success)
        let isNew = state.withLock { state in
            state.takers[number] = nil
            return state.runs.complete(completion)
        }
        guard isNew else { return }
        report(.taskCompleted(completion))
    }

    /// Says how far a task is.
    package func tell(_ number: UInt64, _ progress: TaskProgress) { report(.taskProgress(number, progress)) }

    /// Has something done on the main thread, also in an app whose own loop does not serve the main queue.
    package func onMain(_ work: @escaping Work) {
        let onMain = state.withLock { $0.onMain }
        onMain(work)
    }

    /// Not with the state locked: what reports asks for `view` with a lock of its own held.
    private func report(_ report: StageReport) {
        let tell = state.withLock { $0.report }
        tell(report)
    }
}
