// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A task that was begun, as the daemon has it in its hands.
package struct TaskRun {
    /// When it was begun; when its handler was entered, once that is known.
    package var since: Moment
    /// Whether its app's life was told to run it.
    package var isTold = false
    package var hasEntered = false
    /// Whether a daemon before has seen its handler being entered: it is not to begin anew.
    package var isFromBefore = false
    /// It is to end, and its app's life was not told so far.
    package var expiry: TaskExpiry?
    /// What becomes of it if its handler is not entered any more: it was cancelled, and its row is gone.
    package var cancelled: TaskEntry.Outcome?
    package var progress: TaskProgress?

    package init(since: Moment, hasEntered: Bool = false, isFromBefore: Bool = false) {
        self.since = since
        self.hasEntered = hasEntered
        self.isFromBefore = isFromBefore
    }
}
