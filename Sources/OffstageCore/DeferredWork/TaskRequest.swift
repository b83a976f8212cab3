// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// An app's request for later work: submitted with `BGTaskScheduler.submit`, and kept by the daemon until it has run.
package struct TaskRequest: Sendable, Hashable, Codable {
    /// Apple's classes of requests.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// `BGAppRefreshTaskRequest`.
        case refresh
        /// `BGProcessingTaskRequest`.
        case processing
        /// `BGHealthResearchTaskRequest`: like processing.
        case healthResearch
        /// `BGContinuedProcessingTaskRequest`.
        case continued
    }

    /// Unique across all requests, in ascending order; also the number of its run.
    package var number: UInt64
    /// `AppIdentity`.
    package var app: String
    package var identifier: String
    package var kind: Kind
    /// The earliest begin date, by the wall clock; nil for as soon as possible.
    @WithinIfPresent<CalendarDates> package var earliestBegin: Date?
    package var requiresNetwork: Bool
    package var requiresExternalPower: Bool
    /// For continued processing, the texts for the person; empty otherwise.
    package var title: String
    package var subtitle: String
    package var submitted: Moment

    package init(
        number: UInt64,
        app: String,
        identifier: String,
        kind: Kind,
        earliestBegin: Date? = nil,
        requiresNetwork: Bool = false,
        requiresExternalPower: Bool = false,
        title: String = "",
        subtitle: String = "",
        submitted: Moment
    ) {
        self.number = number
        self.app = app
        self.identifier = identifier
        self.kind = kind
        self.earliestBegin = earliestBegin
        self.requiresNetwork = requiresNetwork
        self.requiresExternalPower = requiresExternalPower
        self.title = title
        self.subtitle = subtitle
        self.submitted = submitted
    }
}

extension TaskRequest {
    /// The identifier of the refresh that calls `application(_:performFetchWithCompletionHandler:)`. No other request
    /// can have this name: an app whose `Info.plist` permits identifiers does not have this refresh.
    package static let fetchIdentifier = "performFetch"
    /// The minimum number of seconds between two such refreshes, however short the app's interval.
    package static let leastFetchInterval = 900.0
}

extension TaskRequest.Kind {
    /// Whether it runs only while the machine is idle, and ends when the machine becomes busy.
    package var needsIdleMachine: Bool { self == .processing || self == .healthResearch }
}
