// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// One request of a task: when, how much, over which connection. What is not known is nil, or 0 for a count.
///
/// Stands in for FoundationNetworking's class of the same name, which only FoundationNetworking can make.
/// Unchecked: everything in it is set when it is made.
/// <https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics>
public final class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    // Unchecked: nothing changes once it is made, and URLResponse is only read.

    /// The request that was sent.
    public let request: URLRequest
    /// The response to it.
    public let response: URLResponse?
    /// When the request was begun, connecting included.
    public let fetchStartDate: Date?
    /// When the response was whole.
    public let responseEndDate: Date?
    /// `http/1.1`, `h2` and the like.
    public let networkProtocolName: String?
    /// The address that was talked to.
    public let remoteAddress: String?
    /// The port that was talked to.
    public let remotePort: Int?
    /// Whether the connection had been there before.
    public let isReusedConnection: Bool
    /// Bytes of the request's body.
    public let countOfRequestBodyBytesSent: Int64
    /// Bytes of the response's body.
    public let countOfResponseBodyBytesReceived: Int64
    /// From where the response came.
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
