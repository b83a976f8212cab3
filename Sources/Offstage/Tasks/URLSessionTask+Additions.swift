// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
import OffstageClient

extension URLSessionTask {
    private var taskCore: SessionTaskCore? { (self as? any SessionTask)?.core }

    /// The date before which the transfer does not begin; nil to begin immediately. No effect once the task has been
    /// resumed, or in foreground sessions.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/earliestbegindate>
    public var earliestBeginDate: Date? {
        get { taskCore?.hints.earliestBegin }
        set { taskCore?.change { $0.earliestBegin = newValue } }
    }

    /// No effect: the daemon delivers only complete files.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/prefersincrementaldelivery>
    public var prefersIncrementalDelivery: Bool {
        get { !(self is URLSessionDownloadTask) }
        set {}
    }

    /// Resumes the task and returns once the daemon has it on disk. From then on it survives a power loss; after
    /// `resume()` alone, it survives only the end of the program and the daemon.
    ///
    /// In a foreground session this is the same as `resume()`.
    ///
    /// - Throws: `URLError` or `OffstageError` if the task could not be handed over. A failed task is reported to the
    ///   delegate as after `resume()`.
    public func submit() async throws {
        guard let taskCore else { return resume() }
        try await taskCore.submit()
    }
}

extension URLSessionDownloadTask {
    /// Cancels the task and returns the data with which `downloadTask(withResumeData:)` continues it; nil if the
    /// download would have to start over.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiondownloadtask/cancelbyproducingresumedata()>
    public func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel(byProducingResumeData: { continuation.resume(returning: $0) })
        }
    }
}

extension URLSessionUploadTask {
    /// Cancels the task and passes the handler the data with which `uploadTask(withResumeData:)` continues it; nil if
    /// the upload would have to start over: with a server that does not support resumable uploads, for a file of less
    /// than 1 MiB, or for a body given as data.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessionuploadtask/cancel(byproducingresumedata:)>
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        guard let task = self as? BackgroundUploadTask else {
            cancel()
            return completionHandler(nil)
        }
        task.core.cancelProducingResumeData(completionHandler)
    }

    /// Cancels the task and returns the data with which `uploadTask(withResumeData:)` continues it; nil if the upload
    /// would have to start over.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessionuploadtask/cancelbyproducingresumedata()>
    public func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel(byProducingResumeData: { continuation.resume(returning: $0) })
        }
    }
}
