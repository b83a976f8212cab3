// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// Apple's delegate of a session's tasks: FoundationNetworking's protocol with what it lacks.
///
/// <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate>
@preconcurrency
public protocol URLSessionTaskDelegate: URLSessionDelegate, FoundationNetworking.URLSessionTaskDelegate {
    /// A task of a background session has been made; called within the call that makes it, not on the delegate queue.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:didcreatetask:)>
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

    /// Never called for a background session, as on Apple's platforms: it always waits.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:taskiswaitingforconnectivity:)>
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

    /// Never called yet: the daemon keeps no interim responses.
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

    /// When the task was under way, and over which connection; before `urlSession(_:task:didCompleteWithError:)`.
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

    /// Lets the request begin as it is, as on Apple's platforms where the method is left out.
    ///
    /// FoundationNetworking's own default never calls the handler.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) { completionHandler(.continueLoading, nil) }

    /// Gives no stream.
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

    /// Hands FoundationNetworking's metrics, which come from sessions in the foreground, on as those of this module.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: FoundationNetworking.URLSessionTaskMetrics
    ) {
        urlSession(session, task: task, didFinishCollecting: URLSessionTaskMetrics(metrics))
    }
}
