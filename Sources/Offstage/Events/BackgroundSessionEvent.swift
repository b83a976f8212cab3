// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// What happens to a background session, for those who would rather iterate than delegate.
public enum BackgroundSessionEvent: Sendable {
    /// Bytes of a task are across: see its counters.
    case progress(URLSessionTask)
    /// A task has ended.
    case completed(Completion)
    /// Everything that happened while the app was gone has been told.
    case finishedEvents

    /// How a task ended.
    public struct Completion: Sendable {
        /// The task, with its response and counters.
        public let task: URLSessionTask
        /// The downloaded file, which goes when the next event is asked for.
        public let file: URL?
        /// The body of the response to an upload.
        public let body: Data
        /// Why it failed; nil for a response, whatever its status.
        public let error: URLError?
    }
}
