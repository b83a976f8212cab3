// SPDX-License-Identifier: Apache-2.0

/// A line of the timeline, or several below each other where bars overlap.
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
    /// How many hosts share the lane for which there was no room; 0 for a lane of its own.
    package var others = 0
    /// Bars of one row never overlap.
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
    /// What is left of its time for deferred work today; nil if nothing is known.
    package var note: String?
    package var lanes: [TimelineLane]
}
