// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// An action to carry out after a step of a transfer, in order, once the step is committed.
package enum TransferAction: Sendable, Equatable {
    /// Put the transfer in line for its turn.
    case enqueue
    /// Take the transfer out of line.
    case dequeue
    /// Start this attempt.
    case begin(attempt: Int)
    /// Break off the attempt that is under way.
    case stop
    /// Check, sync and rename the file.
    case save
    /// Call `woken` when the deadline is due.
    case wake(Deadline)
    /// Call `woken` at the date.
    case wakeAt(Date)
    /// Call `predecessorsStand` now, and whenever one of `awaitedPredecessors` ends, is restarted or is forgotten.
    case awaitPredecessors
    /// Apply `KeeperStep.attached` once its keeper is available, perhaps again.
    case awaitKeeper
    /// Wait until none of its requests is under way: before the step is committed, so that the end guarantees this.
    case awaitRequests
    /// Ask the credential helper, if there is one.
    case askForCredentials
    /// Ask the app whose task it is; if the app is absent, ask once it is present.
    case askDelegate(DelegateQuestion)
    /// Give the partial file a second name, under which another download may continue with it, and record that with
    /// `keptForResuming`: before the step is committed, so that the end is never reported without it.
    case keepPartialFile
    case deletePartialFile
    case deleteSnapshot
    /// Report the outcome to the watchers, and run the completion command.
    case deliver(TransferOutcome)
}

extension TransferState.Wait {
    /// The actions by which a new daemon ends this wait.
    var wakes: [TransferAction] {
        guard let askAgain else { return cause.wakes }
        return cause.wakes + [.wake(askAgain)]
    }

    /// When to check again, if that happens after this many seconds of waiting; nil for now. A clock that was set back
    /// must not delay the check.
    func look(after seconds: Double, now: Moment) -> Deadline? {
        let left = seconds - now.wall.timeIntervalSince(since)  // checked: of type Double
        return left > 0 && left <= seconds ? Deadline(setAt: now, delay: left) : nil
    }
}

extension TransferState.Wait.Cause {
    /// The actions by which a new daemon ends a wait for this.
    fileprivate var wakes: [TransferAction] {
        switch self {
        case .retry(_, let deadline): [.wake(deadline)]
        case .earliestBegin(let date): [.wakeAt(date)]
        case .predecessors: [.awaitPredecessors]
        case .credentials: [.askForCredentials]
        case .delegate(let question): [.askDelegate(question)]
        case .keeper: [.awaitKeeper]
        case .account, .setAside, .unreadable: []
        }
    }
}
