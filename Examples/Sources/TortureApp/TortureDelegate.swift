// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Logs the beginning and the end of each call, to tell a call that was cut off by a kill from a repeated one.
final class TortureDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    private let plan: Plan
    private let log: AppLog
    private let bookkeeping: Bookkeeping

    init(plan: Plan, log: AppLog, bookkeeping: Bookkeeping) {
        self.plan = plan
        self.log = log
        self.bookkeeping = bookkeeping
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let name = downloadTask.taskDescription ?? ""
        log.note("begin finished \(name) \(downloadTask.taskIdentifier)")
        linger()
        var result = "unknown"
        if let item = plan.item(of: downloadTask) {
            result = rename(location.path, item.file) == 0 ? "moved" : "errno-\(errno)"
        }
        log.note("end finished \(name) \(downloadTask.taskIdentifier) \(result)")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let name = task.taskDescription ?? ""
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        let outcome = (error as NSError?).map { "error-\($0.code)" } ?? "status-\(status)"
        log.note("begin completed \(name) \(task.taskIdentifier) \(outcome)")
        linger()
        log.note("end completed \(name) \(task.taskIdentifier)")
        if bookkeeping.ended(name) { session.finishTasksAndInvalidate() }
    }

    /// Lets a call take a while, like a real app's, so that kills hit it.
    private func linger() { Thread.sleep(forTimeInterval: .random(in: 0...0.004)) }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        log.note("finished-events")
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        log.note("invalid")
        exit(0)
    }
}
