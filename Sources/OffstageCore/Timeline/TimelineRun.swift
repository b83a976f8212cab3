// SPDX-License-Identifier: Apache-2.0

/// One run of deferred work.
package struct TimelineRun: Sendable, Hashable {
    package var app: String
    package var identifier: String
    package var outcome: TimelineOutcome

    package init(app: String, identifier: String, outcome: TimelineOutcome) {
        self.app = app
        self.identifier = identifier
        self.outcome = outcome
    }
}

extension TaskEnding {
    /// In the words of the timeline.
    package var timelineOutcome: TimelineOutcome {
        switch self {
        case .completed(success: true): .succeeded
        case .completed(success: false), .noHandler, .launchFailed, .appEnded: .failed
        case .expired, .killed: .expired
        case .quit: .cancelled
        }
    }
}
