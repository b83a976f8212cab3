// SPDX-License-Identifier: Apache-2.0

/// The outcome of an attempt or of a run of deferred work, in the words of the timeline.
package enum TimelineOutcome: String, Sendable, Hashable, Codable, CaseIterable {
    case succeeded
    /// It was interrupted, and is retried.
    case broken
    /// It failed for good.
    case failed
    /// Deferred work that had to end before it was done.
    case expired
    /// A person, or its app, paused it.
    case paused
    case cancelled
    case underWay
}
