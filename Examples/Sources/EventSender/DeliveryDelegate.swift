// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Deletes events that have arrived, and reports them.
final class DeliveryDelegate: NSObject, URLSessionTaskDelegate {
    /// The events' file names, in the order in which they arrived; ends with the session.
    let deliveries: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let outbox: Outbox
    private let log: EventLog

    init(outbox: Outbox, log: EventLog) {
        self.outbox = outbox
        self.log = log
        (deliveries, continuation) = AsyncStream.makeStream()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let name = task.taskDescription ?? ""
        if error != nil, !outbox.contains(name) {
            // Handed over twice, since a launch was killed before it could log the first time, which has arrived.
            log.note("arrived-earlier \(name) \(task.taskIdentifier)")
        } else if let error {
            log.note("failed \(name) \(task.taskIdentifier) \((error as NSError).code)")
        } else {
            let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
            log.note("delivered \(name) \(task.taskIdentifier) \(status)")
        }
        outbox.remove(name)
        continuation.yield(name)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        log.note("finished-events")
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        continuation.finish()
    }
}
