// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// An event of a background session, for programs that prefer iteration to a delegate.
public enum BackgroundSessionEvent: Sendable {
    /// Bytes of a task have been transferred: see its counters.
    case progress(URLSessionTask)
    /// A task has ended.
    case completed(Completion)
    /// All events that occurred while the app was gone have been delivered.
    case finishedEvents

    /// How a task ended.
    public struct Completion: Sendable {
        /// The task, with its response and counters.
        public let task: URLSessionTask
        /// The downloaded file, which is deleted when the next event is requested.
        public let file: URL?
        /// The body of the response to an upload.
        public let body: Data
        /// Why the task failed; nil for a response, whatever its status.
        public let error: URLError?
    }
}
