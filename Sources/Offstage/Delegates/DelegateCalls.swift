// SPDX-License-Identifier: Apache-2.0

/// Decides which calls a task's delegate receives, in Apple's order: a value that knows neither the delegate nor the
/// task.
package struct DelegateCalls: Sendable, Equatable {
    package enum Call: Sendable, Equatable {
        /// `didResumeAtOffset`
        case resumed(offset: Int64, expected: Int64)
        /// `didSendBodyData`
        case sent(bytes: Int64, total: Int64, expected: Int64)
        /// `didWriteData`
        case wrote(bytes: Int64, total: Int64, expected: Int64)
        /// `didReceive data`, with the body of an upload's response
        case receivedBody
        /// `didFinishDownloadingTo`, after which the file is deleted
        case finishedDownloading
        /// `didFinishCollecting metrics`
        case collectedMetrics
        /// `didCompleteWithError`, the last for the task
        case completed
        /// The task's completion handler, in place of all delegate calls.
        case handler
    }

    /// What is known about the task.
    package struct Standing: Sendable, Equatable {
        package var isUpload: Bool
        package var hasHandler: Bool
        /// Whether the task continues an earlier download, and the delegate has not been notified yet.
        package var owesResumed: Bool
        /// The number of bytes last reported to the delegate.
        package var reported: Int64
        /// Whether a lower number of bytes is not reported: true for an upload whose dialect resumes where it stopped.
        package var neverGoesBack: Bool

        package init(
            isUpload: Bool,
            hasHandler: Bool = false,
            owesResumed: Bool = false,
            reported: Int64 = 0,
            neverGoesBack: Bool = false
        ) {
            self.isUpload = isUpload
            self.hasHandler = hasHandler
            self.owesResumed = owesResumed
            self.reported = reported
            self.neverGoesBack = neverGoesBack
        }
    }

    /// How the task ended.
    package struct Ending: Sendable, Equatable {
        /// Whether there was a complete response.
        package var isCompleted: Bool
        package var bytesDone: Int64
        package var bytesTotal: Int64?
        package var hasBody: Bool
        /// Whether the downloaded file exists and no delegate has received it.
        package var hasFile: Bool
        /// The offset at which a download from resume data continued; 0 if it started over after all.
        package var offset: Int64

        package init(
            isCompleted: Bool,
            bytesDone: Int64,
            bytesTotal: Int64?,
            hasBody: Bool = false,
            hasFile: Bool = false,
            offset: Int64 = 0
        ) {
            self.offset = offset
            self.isCompleted = isCompleted
            self.bytesDone = bytesDone
            self.bytesTotal = bytesTotal
            self.hasBody = hasBody
            self.hasFile = hasFile
        }
    }

    /// `NSURLSessionTransferSizeUnknown`.
    package static let unknownSize: Int64 = -1

    /// Returns the calls for transferred bytes.
    ///
    /// - Parameters:
    ///   - standing: what the delegate knows so far.
    ///   - done: the number of bytes transferred so far.
    ///   - total: the file's length, if known.
    ///   - offset: the byte that the attempt began at.
    /// - Returns: the calls, in order.
    package static func progress(_ standing: Standing, done: Int64, total: Int64?, offset: Int64) -> [Call] {
        guard !standing.hasHandler else { return [] }
        if standing.neverGoesBack, done < standing.reported { return [] }
        let expected = total ?? unknownSize
        if standing.isUpload {
            // An attempt that started over counts from its beginning, because its bytes are sent again.
            let start = done >= standing.reported ? standing.reported : min(offset, done)
            return done > start ? [.sent(bytes: done - start, total: done, expected: expected)] : []
        }
        var calls: [Call] = []
        var start = done >= standing.reported ? standing.reported : min(offset, done)
        if standing.owesResumed {
            if offset > 0 { calls.append(.resumed(offset: offset, expected: expected)) }
            start = max(start, min(offset, done))
        }
        if done > start { calls.append(.wrote(bytes: done - start, total: done, expected: expected)) }
        return calls
    }

    /// Returns the calls for the end of the task.
    package static func end(_ standing: Standing, _ ending: Ending) -> [Call] {
        guard !standing.hasHandler else { return [.handler] }
        var calls: [Call] = []
        if ending.isCompleted, ending.bytesDone > standing.reported {
            calls += progress(standing, done: ending.bytesDone, total: ending.bytesTotal, offset: ending.offset)
        }
        if standing.isUpload {
            if ending.hasBody { calls.append(.receivedBody) }
        } else if ending.isCompleted, ending.hasFile {
            calls.append(.finishedDownloading)
        }
        return calls + [.collectedMetrics, .completed]
    }
}
