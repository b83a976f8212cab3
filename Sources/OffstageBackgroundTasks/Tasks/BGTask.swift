// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Offstage
package import OffstageCore
import Synchronization

/// A running task, passed to the handler that the app has registered: one of the subclasses below. From any thread.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgtask>
///
/// Unchecked: its state is guarded by a lock.
open class BGTask: NSObject, @unchecked Sendable {
    /// The app's closure. Unchecked: called once, by the code that has taken it out of the state.
    private struct Handler: @unchecked Sendable {
        var call: () -> Void
    }

    private struct State: Sendable {
        var isCompleted = false
        /// Whether the task's time is over: a repeated notice has no effect.
        var isExpired = false
        /// Whether the task was completed because it had no expiration handler when its time was over.
        var isCompletedByExpiry = false
        var handler: Handler?
    }

    package let launch: TaskLaunch
    private let state = Mutex(State())
    /// Called once, when the task is over, with whether it succeeded.
    private let ended: @Sendable (BGTask, Bool) -> Void

    package init(_ launch: TaskLaunch, ended: @escaping @Sendable (BGTask, Bool) -> Void) {
        self.launch = launch
        self.ended = ended
        super.init()
    }

    /// The identifier of the submitted request.
    open var identifier: String { launch.identifier }

    /// Called shortly before the task's time is over, on one of the library's queues. The task then has a few seconds
    /// to complete, or the app is killed. Nil after it has been called, and once the task is completed. A task without
    /// a handler is completed as unsuccessful when its time is over.
    open var expirationHandler: (() -> Void)? {
        get { state.withLock { $0.handler }?.call }
        set {
            let handler = newValue.map { Handler(call: $0) }
            state.withLock { state in
                if !state.isCompleted { state.handler = handler }
            }
        }
    }

    /// Marks the task as completed: once all tasks are, the app is suspended. A task that did not succeed is not run
    /// again automatically.
    ///
    /// - Parameter success: whether the work was done.
    open func setTaskCompleted(success: Bool) {
        guard let isByExpiry = complete(success: success, isByExpiry: false) else { return }
        Complaints.write(
            isByExpiry
                ? "setTaskCompleted(success:) was called after the time of the task '\(identifier)' was over: the task, which had no expirationHandler, had already been completed without success, so give it one."
                : "setTaskCompleted(success:) was called twice for the task '\(identifier)': the first call counts, so leave out the second."
        )
    }

    /// Handles the end of the task's time. A daemon that is not sure whether this was received sends it again.
    package func expire() {
        let (isFirst, handler) = state.withLock { state in
            defer { (state.isExpired, state.handler) = (true, nil) }
            return (!state.isExpired, state.handler)
        }
        guard isFirst else { return }
        guard let handler else { return _ = complete(success: false, isByExpiry: true) }
        // A separate queue: a slow handler does not delay another one.
        DispatchQueue(label: "offstage.expiration").async { AppCode.current.run { handler.call() } }
    }

    /// Called when the task is about to end.
    package func willEnd() {}

    /// Called when the daemon may not know the task's progress.
    package func reportAgain() {}

    /// - Returns: nil; if the task was completed before, whether that was because its time was over.
    private func complete(success: Bool, isByExpiry: Bool) -> Bool? {
        let before: Bool? = state.withLock { state in
            if state.isCompleted { return state.isCompletedByExpiry }
            state.isCompleted = true
            state.isCompletedByExpiry = isByExpiry
            state.handler = nil
            return nil
        }
        if before != nil { return before }
        willEnd()
        ended(self, success)
        return nil
    }

    /// The task's class and identifier.
    override open var description: String { "<\(type(of: self)): \(identifier)>" }
}
