// SPDX-License-Identifier: Apache-2.0

/// The policy for deferred work: settings, and Apple's numbers.
package struct TaskPolicy: Sendable, Hashable, Codable {
    /// Limits of pending requests per app.
    package var refreshLimit = 100
    package var processingLimit = 1000
    package var continuedLimit = 100
    /// Simultaneous tasks, except continued processing.
    package var runningLimit = 4
    /// Simultaneous continued tasks.
    package var runningContinuedLimit = 4
    /// Seconds of one app's runs in any day, except continued processing: refilled gradually.
    package var dailySeconds = 14_400.0
    /// Seconds that a run may take.
    package var refreshSeconds = 30.0
    package var processingSeconds = 600.0
    /// Least charge without external power, 0 to 1.
    package var leastCharge = 0.2
    /// Whether refresh tasks run at all, and the apps with the opposite setting.
    package var isRefreshOn = true
    package var refreshExceptions: Set<String> = []

    package init() {}

    /// Apple's limits: 1 refresh and 10 processing requests, and half an hour of runs in a day.
    package static var strict: TaskPolicy {
        var policy = TaskPolicy()
        policy.refreshLimit = 1
        policy.processingLimit = 10
        policy.dailySeconds = 1800
        return policy
    }

    /// Seconds that a run of a kind may take; nil for no limit.
    package func seconds(for kind: TaskRequest.Kind) -> Double? {
        switch kind {
        case .refresh: refreshSeconds
        case .processing, .healthResearch: processingSeconds
        case .continued: nil
        }
    }

    package func limit(for kind: TaskRequest.Kind) -> Int {
        switch kind {
        case .refresh: refreshLimit
        case .processing, .healthResearch: processingLimit
        case .continued: continuedLimit
        }
    }

    /// Whether refresh tasks of an app may run.
    package func allowsRefresh(_ app: String) -> Bool { isRefreshOn != refreshExceptions.contains(app) }
}
