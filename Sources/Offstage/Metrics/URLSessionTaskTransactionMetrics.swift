// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// One request of a task: its times, byte counts and connection. An unknown value is nil, or 0 for a count.
///
/// Replaces FoundationNetworking's class of the same name, which only FoundationNetworking can create. Unchecked:
/// everything in it is set when it is created.
/// <https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics>
public final class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    // Unchecked: nothing changes after creation, and URLResponse is only read.

    /// The request that was sent.
    public let request: URLRequest
    /// The response to the request.
    public let response: URLResponse?
    /// When the request began, including the connection setup.
    public let fetchStartDate: Date?
    /// When the response was complete.
    public let responseEndDate: Date?
    /// The protocol, such as `http/1.1` or `h2`.
    public let networkProtocolName: String?
    /// The remote address of the connection.
    public let remoteAddress: String?
    /// The remote port of the connection.
    public let remotePort: Int?
    /// Whether the connection existed before this request.
    public let isReusedConnection: Bool
    /// Bytes of the request's body.
    public let countOfRequestBodyBytesSent: Int64
    /// Bytes of the response's body.
    public let countOfResponseBodyBytesReceived: Int64
    /// Where the response came from.
    public let resourceFetchType: URLSessionTaskMetrics.ResourceFetchType

    struct Values {
        var request: URLRequest
        var response: URLResponse?
        var fetchStartDate: Date?
        var responseEndDate: Date?
        var networkProtocolName: String?
        var remoteAddress: String?
        var remotePort: Int?
        var isReusedConnection = false
        var bodyBytesSent: Int64 = 0
        var bodyBytesReceived: Int64 = 0
    }

    init(_ values: Values) {
        request = values.request
        response = values.response
        fetchStartDate = values.fetchStartDate
        responseEndDate = values.responseEndDate
        networkProtocolName = values.networkProtocolName
        remoteAddress = values.remoteAddress
        remotePort = values.remotePort
        isReusedConnection = values.isReusedConnection
        countOfRequestBodyBytesSent = values.bodyBytesSent
        countOfResponseBodyBytesReceived = values.bodyBytesReceived
        resourceFetchType = .networkLoad
    }

    init(_ metrics: FoundationNetworking.URLSessionTaskTransactionMetrics) {
        request = metrics.request
        response = metrics.response
        fetchStartDate = metrics.fetchStartDate
        responseEndDate = metrics.responseEndDate
        networkProtocolName = metrics.networkProtocolName
        remoteAddress = metrics.remoteAddress
        remotePort = metrics.remotePort.flatMap { Int($0) }
        isReusedConnection = metrics.isReusedConnection
        countOfRequestBodyBytesSent = metrics.countOfRequestBodyBytesSent
        countOfResponseBodyBytesReceived = metrics.countOfResponseBodyBytesReceived
        resourceFetchType = metrics.resourceFetchType
    }
}
