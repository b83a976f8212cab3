// SPDX-License-Identifier: Apache-2.0

/// A line of the timeline, or several lines one below the other where bars overlap.
package struct TimelineLane: Sendable, Equatable {
    package enum Kind: String, Sendable, Hashable {
        /// The states of an app.
        case states
        case runs
        /// Attempts with a host.
        case host
        case network, power, daemon, schedule
    }

    package var kind: Kind
    package var title: String
    /// How many hosts without room for their own lanes share this one; 0 if it is the lane of a single host.
    package var others = 0
    /// Rows of bars. The bars of a row never overlap.
    package var rows: [[TimelineBar]]
    package var marks: [TimelineMark] = []

    package init(kind: Kind, title: String, rows: [[TimelineBar]], marks: [TimelineMark] = []) {
        self.kind = kind
        self.title = title
        self.rows = rows
        self.marks = marks
    }
}

/// The lanes of one owner of transfers.
package struct TimelineGroup: Sendable, Equatable {
    package var title: String
    /// The owner's remaining time for deferred work today; nil if unknown.
    package var note: String?
    package var lanes: [TimelineLane]
}
