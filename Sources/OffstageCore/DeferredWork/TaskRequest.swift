// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// Work that an app has asked for later: what `BGTaskScheduler.submit` took, and the daemon keeps until it has run.
package struct TaskRequest: Sendable, Hashable, Codable {
    /// Apple's classes of requests.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// `BGAppRefreshTaskRequest`.
        case refresh
        /// `BGProcessingTaskRequest`.
        case processing
        /// `BGHealthResearchTaskRequest`: as processing.
        case healthResearch
        /// `BGContinuedProcessingTaskRequest`.
        case continued
    }

    /// Counts up over all requests and is never given twice; also the number of the run that becomes of it.
    package var number: UInt64
    /// `AppIdentity`.
    package var app: String
    package var identifier: String
    package var kind: Kind
    /// Not before; nil for as soon as may be. A date of the wall clock.
    @WithinIfPresent<CalendarDates> package var earliestBegin: Date?
    package var requiresNetwork: Bool
    package var requiresExternalPower: Bool
    /// Of continued processing, what the person reads; empty otherwise.
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
    /// The identifier of the refresh that calls `application(_:performFetchWithCompletionHandler:)`. No other can be called so:
    /// an app whose `Info.plist` permits identifiers does not have this one.
    package static let fetchIdentifier = "performFetch"
    /// Seconds between two of those at least, however small an interval the app names.
    package static let leastFetchInterval = 900.0
}

extension TaskRequest.Kind {
    /// Whether it runs only while the machine is idle, and is ended when that is busy again.
    package var needsIdleMachine: Bool { self == .processing || self == .healthResearch }
}
