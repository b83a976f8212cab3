// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// Apple's delegate of a session's tasks: FoundationNetworking's protocol and the methods that it lacks.
///
/// <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate>
@preconcurrency
public protocol URLSessionTaskDelegate: URLSessionDelegate, FoundationNetworking.URLSessionTaskDelegate {
    /// Called when a task of a background session has been created, during the call that creates it and not on the
    /// delegate queue.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:didcreatetask:)>
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

    /// Never called for a background session, as on Apple's platforms: such a session always waits.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:taskiswaitingforconnectivity:)>
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

    /// Called for the interim response that makes an upload resumable (104), and for no other.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:task:didreceiveinformationalresponse:)>
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    )

    /// Never called: a background session uploads files, not streams.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:task:neednewbodystreamfrom:completionhandler:)>
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void
    )

    /// Reports when the task ran, and over which connection; called before `urlSession(_:task:didCompleteWithError:)`.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:task:didfinishcollecting:)>
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
}

extension URLSessionTaskDelegate {
    /// Does nothing.
    public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {}

    /// Does nothing.
    public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {}

    /// Does nothing.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {}

    /// Lets the request begin unchanged, as Apple's platforms do when the method is not implemented.
    ///
    /// FoundationNetworking's own default never calls the handler.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) { completionHandler(.continueLoading, nil) }

    /// Provides no stream.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { completionHandler(nil) }

    /// Does nothing.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {}

    /// Converts FoundationNetworking's metrics, which come from foreground sessions, to this module's.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: FoundationNetworking.URLSessionTaskMetrics
    ) {
        urlSession(session, task: task, didFinishCollecting: URLSessionTaskMetrics(metrics))
    }
}
