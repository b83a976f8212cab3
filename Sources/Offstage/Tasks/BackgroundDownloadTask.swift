// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking

/// Download tasks of background sessions: FoundationNetworking's class, with everything forwarded to the core.
///
/// Unchecked: it adds to its base class only a core that may be used from any thread.
final class BackgroundDownloadTask: URLSessionDownloadTask, SessionTask, @unchecked Sendable {
    let core: SessionTaskCore

    init(_ core: SessionTaskCore) {
        self.core = core
        super.init()
    }

    override var taskIdentifier: Int { core.number }
    override var originalRequest: URLRequest? { core.originalRequest }
    override var currentRequest: URLRequest? { core.currentRequest }
    override var response: URLResponse? { core.response }
    override var error: (any Error)? { core.error }
    override var state: URLSessionTask.State { core.phase }
    override var countOfBytesReceived: Int64 { core.counts.received }
    override var countOfBytesSent: Int64 { core.counts.sent }
    override var countOfBytesExpectedToSend: Int64 { core.counts.expectedToSend }
    override var countOfBytesExpectedToReceive: Int64 { core.counts.expectedToReceive }

    override var countOfBytesClientExpectsToSend: Int64 {
        get { core.hints.clientExpectsToSend }
        set { core.change { $0.clientExpectsToSend = newValue } }
    }

    override var countOfBytesClientExpectsToReceive: Int64 {
        get { core.hints.clientExpectsToReceive }
        set { core.change { $0.clientExpectsToReceive = newValue } }
    }

    override var taskDescription: String? {
        get { core.label }
        set { core.label = newValue }
    }

    override var delegate: (any FoundationNetworking.URLSessionTaskDelegate)? {
        get { super.delegate }
        set {
            if newValue != nil { Hint.taskDelegate.give() }
            super.delegate = newValue
        }
    }

    override var priority: Float {
        get { core.priority }
        set { core.priority = newValue }
    }

    override var progress: Progress {
        let progress = super.progress
        if core.claimProgress() {
            progress.cancellationHandler = { [weak self] in self?.cancel() }
            progress.pausingHandler = { [weak self] in self?.suspend() }
            progress.resumingHandler = { [weak self] in self?.resume() }
            core.showCounts(in: progress)
        }
        return progress
    }

    override func resume() { core.resume() }
    override func suspend() { core.suspend() }
    override func cancel() { core.cancel() }

    override func cancel(byProducingResumeData completionHandler: @escaping (Data?) -> Void) {
        core.cancelProducingResumeData(completionHandler)
    }
}
