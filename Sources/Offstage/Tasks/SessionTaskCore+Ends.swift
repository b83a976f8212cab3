// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore

/// Updates a task while its end is delivered, on the delegate queue.
extension SessionTaskCore {
    var standing: DelegateCalls.Standing {
        // Reads the specification that the daemon listed.
        _ = hints
        return state.withLock { state in
            DelegateCalls.Standing(
                isUpload: isUpload,
                hasHandler: state.callbacks.handler != nil,
                owesResumed: state.download.resumeOffset > 0 && state.reported == 0,
                reported: state.reported,
                neverGoesBack: state.goesOnInTheMiddle
            )
        }
    }

    /// Records transferred bytes.
    func recordProgress(done: Int64, total: Int64?) {
        let (watcher, expected): ((@Sendable (Int64, Int64) -> Void)?, Int64) = state.withLock { state in
            if state.goesOnInTheMiddle, done <= state.reported { return (nil, 0) }
            state.reported = done
            if isUpload {
                state.counts.sent = done
                if let total { state.counts.expectedToSend = total }
            } else {
                state.counts.received = done
                state.counts.expectedToReceive = total ?? NSURLSessionTransferSizeUnknown
            }
            return (state.callbacks.watcher, state.counts.expectedToSend)
        }
        watcher?(done, expected)
    }

    /// Updates the counters of the `Progress`, if it has been requested.
    func showProgress(of task: URLSessionTask) {
        guard state.withLock({ $0.hasProgress }) else { return }
        showCounts(in: task.progress)
    }

    /// Records the task's end, which the delegate is about to receive.
    func begin(_ details: EndDetails) {
        _ = counts
        let done = details.ending.bytesDone
        let (watcher, expected): ((@Sendable (Int64, Int64) -> Void)?, Int64) = state.withLock { state in
            state.response = details.response
            state.error = details.error
            if let url = details.finalURL, url != state.requests.current?.url { state.requests.current?.url = url }
            guard details.ending.isCompleted else { return (nil, 0) }
            if isUpload {
                state.counts.sent = done
                state.counts.received = Int64(details.body.count)
            } else {
                state.counts.received = done
                state.counts.expectedToReceive = details.ending.bytesTotal ?? done
            }
            return (done > state.reported ? state.callbacks.watcher : nil, state.counts.expectedToSend)
        }
        // The remaining bytes, which a delegate receives in the final calls.
        watcher?(done, expected)
    }

    func replaceCurrentRequest(_ request: URLRequest) {
        state.withLock { state in
            var request = request
            if let type = state.formContentType { request.setForm(contentType: type) }
            state.requests.current = request
        }
    }

    /// Completes the task; the last call follows.
    func complete() {
        state.withLock { state in
            state.phase = .completed
            state.handOver.draft = nil
        }
    }

    func callHandler(_ details: EndDetails) {
        let handler = state.withLock { state in
            defer { state.callbacks.handler = nil }
            return state.callbacks.handler
        }
        switch handler {
        case .body(let call): call(details.error == nil ? details.body : nil, details.response, details.error)
        case .file(let call): call(details.fileToTake, details.response, details.error)
        case nil: break
        }
    }

    func takeResumeDataHandlers(_ data: Data?) {
        let handlers = state.withLock { state in
            defer { state.callbacks.resumeData = [] }
            return state.callbacks.resumeData
        }
        for handler in handlers { handler.call(data) }
    }
}
