// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

/// The events of one upload to an account (`Uploader.upload(fromFile:in:)`), for a single iteration. Ending the
/// iteration does not stop the upload.
public struct UploadEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = UploadEvent

    /// The upload's task.
    public let task: URLSessionUploadTask
    let stream: AsyncThrowingStream<UploadEvent, any Error>

    /// Waits for one event after another. Returns nil after `uploaded` and when the caller is cancelled; throws a
    /// `URLError` if the upload has failed.
    public typealias AsyncIterator = AsyncThrowingStream<UploadEvent, any Error>.Iterator

    /// Creates an iterator over the events.
    public func makeAsyncIterator() -> AsyncIterator { stream.makeAsyncIterator() }

    /// A stream in which only the newest events wait for the reader; the last one is always among them.
    package static func makeStream() -> (
        stream: AsyncThrowingStream<UploadEvent, any Error>,
        continuation: AsyncThrowingStream<UploadEvent, any Error>.Continuation
    ) {
        AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingNewest(16))
    }
}
