// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The daemon's object for a running task.
package struct TaskRun {
    /// When it began, or when its handler was entered, if that is known.
    package var since: Moment
    /// Whether its app's life cycle was asked to run it.
    package var isTold = false
    package var hasEntered = false
    /// Whether its handler was entered during an earlier daemon, in which case it must not start again.
    package var isFromBefore = false
    /// Set if it must end, and its app's life cycle has not been notified yet.
    package var expiry: TaskExpiry?
    /// Its outcome if its handler is not entered: it was cancelled, and its row was deleted.
    package var cancelled: TaskEntry.Outcome?
    package var progress: TaskProgress?

    package init(since: Moment, hasEntered: Bool = false, isFromBefore: Bool = false) {
        self.since = since
        self.hasEntered = hasEntered
        self.isFromBefore = isFromBefore
    }
}
