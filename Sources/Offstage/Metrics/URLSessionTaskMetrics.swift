// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// When a task was under way and over which connections.
///
/// Stands in for FoundationNetworking's class of the same name, which only FoundationNetworking can make.
/// <https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics>
public final class URLSessionTaskMetrics: NSObject, Sendable {
    /// From where a response came.
    public typealias ResourceFetchType = FoundationNetworking.URLSessionTaskMetrics.ResourceFetchType
    /// How a host name was looked up.
    public typealias DomainResolutionProtocol = FoundationNetworking.URLSessionTaskMetrics.DomainResolutionProtocol

    /// The requests that were made: for a background session the last one.
    public let transactionMetrics: [URLSessionTaskTransactionMetrics]
    /// From the task's first `resume()` until its end.
    public let taskInterval: DateInterval
    /// How often the request was sent elsewhere.
    public let redirectCount: Int

    init(transactionMetrics: [URLSessionTaskTransactionMetrics], taskInterval: DateInterval, redirectCount: Int) {
        self.transactionMetrics = transactionMetrics
        self.taskInterval = taskInterval
        self.redirectCount = redirectCount
    }

    /// What FoundationNetworking collected for a session in the foreground.
    init(_ metrics: FoundationNetworking.URLSessionTaskMetrics) {
        transactionMetrics = metrics.transactionMetrics.map(URLSessionTaskTransactionMetrics.init)
        taskInterval = metrics.taskInterval
        redirectCount = metrics.redirectCount
    }
}
