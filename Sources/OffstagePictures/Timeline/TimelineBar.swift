// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// A bar of the timeline: one span, or several neighbours that are too narrow to be drawn apart.
package struct TimelineBar: Sendable, Equatable {
    /// Units from here up to, and without, there.
    package var from: Int
    package var to: Int
    package var look: TimelineLook
    /// When the first of its spans began, and the last one ended.
    package var began: Date
    package var ended: Date
    /// The span, if it is one.
    package var single: TimelineSpan?
    /// How many spans begin in it, by look. Empty for the rest of one that others lie upon.
    package var tally: [TimelineLook: Int]

    /// How many spans begin in it.
    package var count: Int { tally.values.reduce(0, +) }
}

/// Something that is expected: one, or several at nearly the same time.
package struct TimelineMark: Sendable, Equatable {
    package enum Look: String, Sendable, Hashable, CaseIterable {
        /// A transfer is tried again.
        case retry
        /// The date at which a transfer may begin.
        case begin
        /// What a transfer waits for is looked at.
        case look
        /// Deferred work is started.
        case run

        /// In a few words, for a legend.
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
    /// The file, or the identifier of the work; the first of several.
    package var name: String
    package var count: Int
}
