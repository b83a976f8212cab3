// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The daemon's object for a running task.
package struct TaskRun {
    /// When it began; when its handler was entered, once that is known.
    package var since: Moment
    /// Whether its app's life cycle was told to run it.
    package var isTold = false
    package var hasEntered = false
    /// Whether its handler was entered during an earlier daemon, so that it must not begin again.
    package var isFromBefore = false
    /// It has to end, and its app's life cycle does not know that yet.
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
