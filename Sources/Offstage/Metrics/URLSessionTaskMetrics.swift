// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// The times at which a task ran, and its connections.
///
/// Replaces FoundationNetworking's class of the same name, which only FoundationNetworking can create.
/// <https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics>
public final class URLSessionTaskMetrics: NSObject, Sendable {
    /// Where a response came from.
    public typealias ResourceFetchType = FoundationNetworking.URLSessionTaskMetrics.ResourceFetchType
    /// How a host name was looked up.
    public typealias DomainResolutionProtocol = FoundationNetworking.URLSessionTaskMetrics.DomainResolutionProtocol

    /// The requests that were made; for a background session, only the last one.
    public let transactionMetrics: [URLSessionTaskTransactionMetrics]
    /// From the task's first `resume()` until its end.
    public let taskInterval: DateInterval
    /// The number of redirects that were followed.
    public let redirectCount: Int

    init(transactionMetrics: [URLSessionTaskTransactionMetrics], taskInterval: DateInterval, redirectCount: Int) {
        self.transactionMetrics = transactionMetrics
        self.taskInterval = taskInterval
        self.redirectCount = redirectCount
    }

    /// Converts the metrics that FoundationNetworking collected for a foreground session.
    init(_ metrics: FoundationNetworking.URLSessionTaskMetrics) {
        transactionMetrics = metrics.transactionMetrics.map(URLSessionTaskTransactionMetrics.init)
        taskInterval = metrics.taskInterval
        redirectCount = metrics.redirectCount
    }
}
