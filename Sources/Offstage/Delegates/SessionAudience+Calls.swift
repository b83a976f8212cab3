// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore

/// Calls about a task, on the delegate queue.
extension SessionAudience {
    /// Passes to the delegate the interim response (104) by which a server offers to resume an upload.
    func deliver(_ fields: [HeaderField], of task: URLSessionTask) {
        let headers = fields.reduce(into: [:]) { $0[$1.name] = $1.value }
        guard let url = task.currentRequest?.url,
            let response = HTTPURLResponse(url: url, statusCode: 104, httpVersion: nil, headerFields: headers)
        else { return }
        ownTask?.urlSession(session, task: task, didReceiveInformationalResponse: response)
    }

    /// Makes a call. A task's completion handler is called in place of the delegate.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - task: the task, which counts as completed from its last call on.
    ///   - details: how the task ended; nil for a call about its progress.
    func perform(_ call: DelegateCalls.Call, of task: any SessionTask, _ details: EndDetails? = nil) {
        switch call {
        case .resumed(let offset, let expected):
            guard let task = task as? URLSessionDownloadTask else { return }
            download?.urlSession(
                session,
                downloadTask: task,
                didResumeAtOffset: offset,
                expectedTotalBytes: expected
            )
        case .sent(let bytes, let total, let expected):
            self.task?.urlSession(
                session,
                task: task,
                didSendBodyData: bytes,
                totalBytesSent: total,
                totalBytesExpectedToSend: expected
            )
        case .wrote(let bytes, let total, let expected):
            guard let task = task as? URLSessionDownloadTask else { return }
            download?.urlSession(
                session,
                downloadTask: task,
                didWriteData: bytes,
                totalBytesWritten: total,
                totalBytesExpectedToWrite: expected
            )
        case .receivedBody, .finishedDownloading, .collectedMetrics, .completed, .handler:
            guard let details else { return }
            performEnd(call, of: task, details)
        }
    }

    private func performEnd(_ call: DelegateCalls.Call, of task: any SessionTask, _ details: EndDetails) {
        switch call {
        case .receivedBody:
            guard let upload = task as? URLSessionUploadTask else { return }
            data?.urlSession(session, dataTask: upload, didReceive: details.body)
        case .finishedDownloading:
            guard let task = task as? URLSessionDownloadTask, let file = details.fileToTake else { return }
            download?.urlSession(session, downloadTask: task, didFinishDownloadingTo: file)
        case .collectedMetrics:
            ownTask?.urlSession(session, task: task, didFinishCollecting: details.metrics(task))
        case .completed:
            task.core.complete()
            task.core.showProgress(of: task)
            self.task?.urlSession(session, task: task, didCompleteWithError: details.error)
        case .handler:
            task.core.complete()
            task.core.showProgress(of: task)
            task.core.callHandler(details)
        case .resumed, .sent, .wrote: break
        }
    }
}
