// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Offstage
package import OffstageCore
import Synchronization

/// A task that runs: what the handler that the app has registered is called with, one of the kinds below. From any thread.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgtask>
///
/// Unchecked: what changes is guarded by a lock.
open class BGTask: NSObject, @unchecked Sendable {
    /// The app's closure. Unchecked: called once, by whoever has taken it out.
    private struct Handler: @unchecked Sendable {
        var call: () -> Void
    }

    private struct State: Sendable {
        var isCompleted = false
        /// Whether its time is over: said again, that changes nothing.
        var isExpired = false
        /// Whether that was because it had no expiration handler when its time was over.
        var isCompletedByExpiry = false
        var handler: Handler?
    }

    package let launch: TaskLaunch
    private let state = Mutex(State())
    /// Told once, that it is over, and whether it was a success.
    private let ended: @Sendable (BGTask, Bool) -> Void

    package init(_ launch: TaskLaunch, ended: @escaping @Sendable (BGTask, Bool) -> Void) {
        self.launch = launch
        self.ended = ended
        super.init()
    }

    /// The identifier that was submitted.
    open var identifier: String { launch.identifier }

    /// Called shortly before the task's time is over, on a queue of the library's: the task then has a few seconds to
    /// complete, or the app is killed. Nil when it was called, and when the task is completed. A task without one is
    /// completed without success when its time is over.
    open var expirationHandler: (() -> Void)? {
        get { state.withLock { $0.handler }?.call }
        set {
            let handler = newValue.map { Handler(call: $0) }
            state.withLock { state in
                if !state.isCompleted { state.handler = handler }
            }
        }
    }

    /// Says that the task is over: when all of them are, the app is suspended. A task that had no success is not run again
    /// by itself.
    ///
    /// - Parameter success: whether the work was done.
    open func setTaskCompleted(success: Bool) {
        guard let isByExpiry = complete(success: success, isByExpiry: false) else { return }
        Complaints.write(
            isByExpiry
                ? "setTaskCompleted(success:) came after the time of the task '\(identifier)' was over: it was completed without success then, having no expirationHandler, so give it one."
                : "setTaskCompleted(success:) was called twice for the task '\(identifier)': the first call counts, so leave out the second."
        )
    }

    /// The time is over. A daemon that is not sure whether that was heard says it again.
    package func expire() {
        let (isFirst, handler) = state.withLock { state in
            defer { (state.isExpired, state.handler) = (true, nil) }
            return (!state.isExpired, state.handler)
        }
        guard isFirst else { return }
        guard let handler else { return _ = complete(success: false, isByExpiry: true) }
        // A queue for itself: one handler that takes its time does not keep another from being called.
        DispatchQueue(label: "offstage.expiration").async { AppCode.current.run { handler.call() } }
    }

    /// The task is about to be over.
    package func willEnd() {}

    /// The daemon may not know how far it is.
    package func tellAgain() {}

    /// - Returns: nil, or when it was completed before, whether that was for its time.
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

    /// Its class and identifier.
    override open var description: String { "<\(type(of: self)): \(identifier)>" }
}
