// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A task that was begun, as the daemon has it in its hands.
struct TaskRun {
    /// When it was begun; when its handler was entered, once that is known.
    var since: Moment
    /// Whether its app's life was told to run it.
    var isTold = false
    var hasEntered = false
    /// Whether a daemon before has seen its handler being entered: it is not to begin anew.
    var isFromBefore = false
    /// It is to end, and its app's life was not told so far.
    var expiry: TaskExpiry?
    /// What becomes of it if its handler is not entered any more: it was cancelled, and its row is gone.
    var cancelled: TaskEntry.Outcome?
    var progress: TaskProgress?
}
