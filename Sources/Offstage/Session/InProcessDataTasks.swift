// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Synchronization

/// The data tasks of a background session, which end with the process, as on Apple's platforms.
///
/// Forwards FoundationNetworking's calls to the app's delegate, which sees only the background session.
final class InProcessDataTasks: NSObject, FoundationNetworking.URLSessionDataDelegate {
    private struct State {
        /// By task number in the inner session.
        var tasks: [Int: InProcessDataTask] = [:]
        var inner: FoundationNetworking.URLSession?
    }

    private let state = Mutex(State())
    private let core: SessionCore

    init(_ core: SessionCore, _ configuration: URLSessionConfiguration, _ queue: OperationQueue) {
        self.core = core
        super.init()
        let foreground = (configuration as? BackgroundConfiguration)?.foregroundCopy() ?? .default
        let session = FoundationNetworking.URLSession(configuration: foreground, delegate: self, delegateQueue: queue)
        state.withLock { $0.inner = session }
    }

    var isEmpty: Bool { state.withLock { $0.tasks.isEmpty } }
    var outstanding: [URLSessionTask] {
        // FoundationNetworking does not list a cancelled task, and calls back for it later.
        state.withLock { Array($0.tasks.values) }
            .filter { $0.state == .running || $0.state == .suspended }
            .sorted { $0.taskIdentifier < $1.taskIdentifier }
    }

    func make(
        _ request: URLRequest,
        number: Int,
        handler: (@Sendable (Data?, URLResponse?, (any Error)?) -> Void)?
    ) -> URLSessionDataTask? {
        guard let session = state.withLock({ $0.inner }) else { return nil }
        let inner: URLSessionDataTask
        if let handler {
            let identifier = Mutex<Int?>(nil)
            inner = session.dataTask(with: request) { [weak self] data, response, error in
                handler(data, response, error)
                if let number = identifier.withLock({ $0 }) { self?.remove(number) }
            }
            identifier.withLock { $0 = inner.taskIdentifier }
        } else {
            inner = session.dataTask(with: request)
        }
        let task = InProcessDataTask(inner, number: number)
        state.withLock { $0.tasks[inner.taskIdentifier] = task }
        return task
    }

    func invalidate(cancelling: Bool) {
        let session = state.withLock { $0.inner }
        if cancelling { session?.invalidateAndCancel() } else { session?.finishTasksAndInvalidate() }
    }

    private func remove(_ number: Int) {
        state.withLock { $0.tasks[number] = nil }
        core.finishIfPossible()
    }

    private func outer(_ task: URLSessionTask) -> InProcessDataTask? {
        state.withLock { $0.tasks[task.taskIdentifier] }
    }

    // MARK: - From FoundationNetworking

    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let audience = core.audience, let delegate = audience.delegate else {
            return completionHandler(.performDefaultHandling, nil)
        }
        delegate.urlSession(audience.session, didReceive: challenge, completionHandler: completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let audience = core.audience, let delegate = audience.task, let outer = outer(task) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        delegate.urlSession(
            audience.session,
            task: outer,
            didReceive: challenge,
            completionHandler: completionHandler
        )
    }

    /// A background session follows redirects without asking.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        core.settings.storeCookies(of: response)
        completionHandler(core.settings.redirected(request, from: response.url))
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let audience = core.audience, let delegate = audience.data, let outer = outer(dataTask) else {
            return completionHandler(.allow)
        }
        delegate.urlSession(
            audience.session,
            dataTask: outer,
            didReceive: response,
            completionHandler: completionHandler
        )
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let audience = core.audience, let outer = outer(dataTask) else { return }
        audience.data?.urlSession(audience.session, dataTask: outer, didReceive: data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let audience = core.audience, let outer = outer(task) {
            audience.task?.urlSession(audience.session, task: outer, didCompleteWithError: error)
        }
        remove(task.taskIdentifier)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        state.withLock { state in
            state.inner = nil
            state.tasks = [:]
        }
        core.finishIfPossible()
    }
}

extension SessionCore {
    func dataTask(
        _ call: String,
        _ request: URLRequest,
        _ configuration: URLSessionConfiguration,
        handler: (@Sendable (Data?, URLResponse?, (any Error)?) -> Void)?
    ) -> URLSessionDataTask {
        waitUntilOpened()
        let (number, tasks): (Int, InProcessDataTasks?) = state.withLock { state in
            let number = nextNumber(call, &state)
            guard let session = state.session else { return (number, nil) }
            let tasks = state.dataTasks ?? InProcessDataTasks(self, configuration, session.delegateQueue)
            state.dataTasks = tasks
            return (number, tasks)
        }
        guard let task = tasks?.make(request, number: number, handler: handler) else {
            Misuse.stop(call, "attempted to create a task in a session that has been invalidated")
        }
        if let audience, let delegate = audience.ownTask {
            delegate.urlSession(audience.session, didCreateTask: task)
        }
        return task
    }
}
