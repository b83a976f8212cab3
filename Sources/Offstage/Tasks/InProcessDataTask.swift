// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Synchronization

/// A data task of a background session: it runs in the process, on a foreground session, with a task number of the
/// background session.
///
/// Unchecked: it adds to its base class only a task that may be used from any thread.
final class InProcessDataTask: URLSessionDataTask, @unchecked Sendable {
    private let number: Int
    let inner: URLSessionDataTask

    init(_ inner: URLSessionDataTask, number: Int) {
        self.inner = inner
        self.number = number
        super.init()
    }

    override var taskIdentifier: Int { number }
    override var originalRequest: URLRequest? { inner.originalRequest }
    override var currentRequest: URLRequest? { inner.currentRequest }
    override var response: URLResponse? { inner.response }
    override var error: (any Error)? { inner.error }
    override var state: URLSessionTask.State { inner.state }
    override var progress: Progress { inner.progress }
    override var countOfBytesReceived: Int64 { inner.countOfBytesReceived }
    override var countOfBytesSent: Int64 { inner.countOfBytesSent }
    override var countOfBytesExpectedToSend: Int64 { inner.countOfBytesExpectedToSend }
    override var countOfBytesExpectedToReceive: Int64 { inner.countOfBytesExpectedToReceive }

    override var taskDescription: String? {
        get { inner.taskDescription }
        set { inner.taskDescription = newValue }
    }

    override var priority: Float {
        get { inner.priority }
        set { inner.priority = newValue }
    }

    override func resume() { inner.resume() }
    override func suspend() { inner.suspend() }
    override func cancel() { inner.cancel() }
}
