// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import Synchronization

/// Delivers deferred tasks to the handlers that the app has registered. Called on any thread.
package protocol DeferredWorkHandler: AnyObject, Sendable {
    /// Schedules the call of the handler for a task's identifier.
    ///
    /// - Parameters:
    ///   - launch: the task.
    ///   - turn: the value to pass to `DeferredWorkPort.enter`.
    /// - Returns: false if there is no handler.
    func start(_ launch: TaskLaunch, turn: UInt64) -> Bool

    /// Called when the daemon asks for a task that is already running: it may not know the task's progress.
    func startAgain(_ number: UInt64)

    /// Called when a running task has expired.
    func expire(_ number: UInt64, _ expiry: TaskExpiry)

    /// Called when a task whose handler has not been entered will not run: it may be started anew.
    func leaveOut(_ number: UInt64)
}

/// The meeting point of the two sides of deferred work in a process: the app's life, which receives the daemon's
/// commands and reports to it, and the task scheduler, which has the handlers. One per process; safe to use from any
/// thread.
///
/// Every change of a task is recorded here before it is reported. If a report is lost with its connection, the next
/// connection makes up for it: it begins with `view`.
package final class DeferredWorkPort: Sendable {
    package typealias Work = @Sendable () -> Void

    /// How far the app's launch has progressed.
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
        /// In the order in which they were added.
        var handlers: [any DeferredWorkHandler] = []
        /// The handlers of the tasks on their way to a handler or already with it.
        var takers: [UInt64: any DeferredWorkHandler] = [:]
        var report: @Sendable (StageReport) -> Void = { _ in }
        var flush: Work = {}
        var onMain: @Sendable (@escaping Work) -> Void = { $0() }
    }

    package static let shared = DeferredWorkPort()

    private let state = Mutex(State())

    package init() {}

    // MARK: - The app's life

    /// Enters the stage.
    ///
    /// - Parameters:
    ///   - report: reports to the daemon, in order, soon.
    ///   - flush: returns once the reports are on their way, or cannot be sent for now.
    ///   - onMain: runs something on the main thread, later.
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

    /// Records that `didFinishLaunching` has returned.
    package func launchIsOver() { state.withLock { $0.standing = .launched } }

    /// What `StageView` reports about deferred tasks.
    package var view: (running: [UInt64: Bool], completed: [TaskCompletion]) {
        state.withLock { ($0.runs.running, $0.runs.completed) }
    }

    /// Starts a task that the daemon wants to run. If the daemon asks again, it receives the same reports again.
    package func start(_ launch: TaskLaunch) {
        let number = launch.number
        let (start, handlers, taker) = state.withLock { ($0.runs.start(number), $0.handlers, $0.takers[number]) }
        switch start {
        case .completed(let completion): report(.taskCompleted(completion))
        case .running(let isEntered):
            // A task waiting for its queue is reported when its turn comes.
            if isEntered { report(.taskEntered(number)) }
            taker?.startAgain(number)
        case .new(let turn):
            for handler in handlers {
                // Set before the handler is asked: from then on, the task may have to end at any moment.
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

    /// Expires a task. If it was completed before, that is reported to the daemon again. If its handler has not been
    /// entered because its queue was busy, it will not be entered, and that is reported as well.
    ///
    /// - Returns: false if no such task is known here.
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

    /// Adds a handler. Handlers are asked for a task in turn until one accepts it; from then on, only that handler is
    /// called for the task.
    package func addHandler(_ handler: any DeferredWorkHandler) { state.withLock { $0.handlers.append(handler) } }

    /// Records that the handler is about to be called. The daemon receives a report before the call, however soon the
    /// process ends, and will not start the task again.
    ///
    /// - Returns: false if the task was completed or left out in the meantime, and the handler must not be called.
    package func enter(_ number: UInt64, turn: UInt64) -> Bool {
        guard state.withLock({ $0.runs.enter(number, turn: turn) }) else { return false }
        report(.taskEntered(number))
        let flush = state.withLock { $0.flush }
        flush()
        return true
    }

    /// Completes the task; a second call has no effect.
    package func complete(_ number: UInt64, success: Bool) {
        let completion = TaskCompletion(number: number, success: success)
        let isNew = state.withLock { state in
            state.takers[number] = nil
            return state.runs.complete(completion)
        }
        guard isNew else { return }
        report(.taskCompleted(completion))
    }

    /// Reports a task's progress.
    package func reportProgress(_ number: UInt64, _ progress: TaskProgress) { report(.taskProgress(number, progress)) }

    /// Runs something on the main thread, even in an app whose own loop does not serve the main queue.
    package func onMain(_ work: @escaping Work) {
        let onMain = state.withLock { $0.onMain }
        onMain(work)
    }

    /// Never called with the state locked: the reporter asks for `view` while it holds its own lock.
    private func report(_ report: StageReport) {
        let tell = state.withLock { $0.report }
        tell(report)
    }
}
