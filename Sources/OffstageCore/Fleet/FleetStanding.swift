// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The database's answer about a row that does not run, and the members that could take it: the basis of the sentence
/// of `offstage fleet why`. Nothing in it is trusted: texts are sanitized for display, and numbers are in their range.
package struct FleetStanding: Sendable, Equatable {
    /// The numbers are the same as in the database's view.
    package enum State: Int, Sendable, CaseIterable {
        case waiting = 0
        case leased = 1
        case later = 2
        case paused = 3
        case done = 10
        case failed = 11
        case cancelled = 12
        case unknown = 13
    }

    /// Members that are alike for a row.
    package struct Crowd: Sendable, Equatable {
        package enum Standing: Int, Sendable, CaseIterable {
            case active = 0
            case draining = 1
            case drained = 2
            case left = 3
        }

        package var standing: Standing
        /// Its lease has run out.
        package var isSilent: Bool
        package var hasRoom: Bool
        /// Labels of the row that they lack.
        package var lacking: [String]
        @Within<Counts> package var count: Int

        package init(
            standing: Standing,
            isSilent: Bool = false,
            hasRoom: Bool = true,
            lacking: [String] = [],
            count: Int
        ) {
            self.standing = standing
            self.isSilent = isSilent
            self.hasRoom = hasRoom
            self.lacking = lacking
            self.count = count
        }

        var takesRows: Bool { standing == .active && !isSilent && lacking.isEmpty }
    }

    package var state: State
    package var queue: FleetText
    package var isQueuePaused = false
    package var host: FleetText
    /// The most transfers with the host over the whole fleet; nil for no limit.
    package var hostLimit: Int?
    /// Transfers with the host that count against the limit.
    @Within<Counts> package var hostRunning: Int = 0
    package var requires = FleetLabels.none
    /// Rows ahead in its lane, up to `mostCounted`.
    @Within<Counts> package var ahead: Int = 0
    /// When the row may begin.
    package var readyAt: Date?
    package var member: FleetText?
    package var detail: FleetText?
    package var crowds: [Crowd] = []

    /// The limit up to which the database counts.
    package static let mostCounted = 1000

    package init(state: State, queue: String = "default", host: String) {
        self.state = state
        self.queue = FleetText(queue, longest: 63)
        self.host = FleetText(host, longest: 253)
    }
}
