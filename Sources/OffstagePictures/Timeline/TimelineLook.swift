// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// How a bar looks: one look for each meaning, in any output.
package enum TimelineLook: String, Sendable, Hashable, CaseIterable {
    // Attempts, and runs of deferred work.
    case succeeded, broken, failed, expired, paused, cancelled, underWay
    // States of apps. There is no bar while an app is not running.
    case foreground, background, suspended
    // The network.
    case online, metered, offline
    // Power.
    case mains, battery
    // The daemon.
    case daemon
    // Upcoming hours of the schedule.
    case limited, held
}

extension TimelineLook {
    /// The weight of the look. A bar for several spans gets the heaviest look.
    var weight: Int {
        switch self {
        case .failed, .offline, .held: 7
        case .expired: 6
        case .broken, .metered, .limited, .battery: 5
        case .cancelled: 4
        case .paused: 3
        case .underWay, .foreground: 2
        case .background: 1
        case .succeeded, .suspended, .online, .mains, .daemon: 0
        }
    }

    package init(_ outcome: TimelineOutcome) {
        self =
            switch outcome {
            case .succeeded: .succeeded
            case .broken: .broken
            case .failed: .failed
            case .expired: .expired
            case .paused: .paused
            case .cancelled: .cancelled
            case .underWay: .underWay
            }
    }

    /// Returns nil if nothing is drawn.
    package init?(_ subject: TimelineSpan.Subject) {
        switch subject {
        case .attempt(let attempt): self.init(attempt.outcome)
        case .run(let run): self.init(run.outcome)
        case .app(_, .active), .app(_, .inactive): self = .foreground
        case .app(_, .background), .app(_, .launching): self = .background
        case .app(_, .suspended): self = .suspended
        case .app(_, .terminated): return nil
        case .network(.unmetered): self = .online
        case .network(.metered), .network(.cellular): self = .metered
        case .network(.none): self = .offline
        case .power(let isExternal): self = isExternal ? .mains : .battery
        case .daemon: self = .daemon
        }
    }

    /// Returns nil for hours without restrictions.
    package init?(_ hours: TimelineHours) {
        if !hours.transfers {
            self = .held
        } else if hours.rateLimit != nil {
            self = .limited
        } else {
            return nil
        }
    }

    /// A word or two, for a legend.
    package var words: String {
        switch self {
        case .succeeded: "succeeded"
        case .broken: "interrupted, tried again"
        case .failed: "failed"
        case .expired: "had to end"
        case .paused: "paused"
        case .cancelled: "cancelled"
        case .underWay: "under way"
        case .foreground: "in front"
        case .background: "in the background"
        case .suspended: "suspended"
        case .online: "network"
        case .metered: "metered network"
        case .offline: "no network"
        case .mains: "external power"
        case .battery: "on battery"
        case .daemon: "the daemon ran"
        case .limited: "limited by the schedule"
        case .held: "held by the schedule"
        }
    }
}
