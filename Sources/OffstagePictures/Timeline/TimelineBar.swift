// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// A bar of the timeline: one span, or several neighbours too narrow to be drawn separately.
package struct TimelineBar: Sendable, Equatable {
    /// The first unit, and the one after the last.
    package var from: Int
    package var to: Int
    package var look: TimelineLook
    /// When its first span began, and when its last one ended.
    package var began: Date
    package var ended: Date
    /// The span, if there is only one.
    package var single: TimelineSpan?
    /// How many spans begin in it, by look. Empty for the remainder of a span that others overlap.
    package var tally: [TimelineLook: Int]

    /// How many spans begin in it.
    package var count: Int { tally.values.reduce(0, +) }
}

/// An expected event, or several at nearly the same time.
package struct TimelineMark: Sendable, Equatable {
    package enum Look: String, Sendable, Hashable, CaseIterable {
        /// A transfer is retried.
        case retry
        /// The date at which a transfer may begin.
        case begin
        /// The condition that a transfer waits for is checked.
        case look
        /// Deferred work is started.
        case run

        /// A short description, for a legend.
        package var words: String {
            switch self {
            case .retry: "will be tried again"
            case .begin: "may begin"
            case .look: "will be checked"
            case .run: "deferred work would run"
            }
        }
    }

    package var unit: Int
    package var look: Look
    package var date: Date
    /// The file, or the identifier of the work; the first if there are several.
    package var name: String
    package var count: Int
}
