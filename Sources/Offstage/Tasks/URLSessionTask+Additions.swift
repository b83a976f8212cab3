// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
import OffstageClient

extension URLSessionTask {
    private var taskCore: TaskCore? { (self as? any BackgroundTask)?.core }

    /// The date before which the transfer does not begin; nil for at once. Without effect once the task was resumed,
    /// and in sessions of the foreground.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/earliestbegindate>
    public var earliestBeginDate: Date? {
        get { taskCore?.hints.earliestBegin }
        set { taskCore?.change { $0.earliestBegin = newValue } }
    }

    /// Without effect: the daemon hands files over whole.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/prefersincrementaldelivery>
    public var prefersIncrementalDelivery: Bool {
        get { !(self is URLSessionDownloadTask) }
        set {}
    }

    /// Resumes the task and returns once the daemon has it on the disk: from then on it survives the loss of power,
    /// where `resume()` survives the end of program and daemon.
    ///
    /// In a session of the foreground it is `resume()`.
    ///
    /// - Throws: why the task could not be handed over: `URLError` or `OffstageError`. The delegate hears of a task
    ///   that fails as after `resume()`.
    public func submit() async throws {
        guard let taskCore else { return resume() }
        try await taskCore.submit()
    }
}

extension URLSessionDownloadTask {
    /// Cancels the task and returns what `downloadTask(withResumeData:)` takes to go on with it; nil when it would have
    /// to begin anew.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiondownloadtask/cancelbyproducingresumedata()>
    public func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel(byProducingResumeData: { continuation.resume(returning: $0) })
        }
    }
}

extension URLSessionUploadTask {
    /// Cancels the task; there is never data to go on with.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessionuploadtask/cancel(byproducingresumedata:)>
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        cancel()
        completionHandler(nil)
    }

    /// Cancels the task; there is never data to go on with.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessionuploadtask/cancelbyproducingresumedata()>
    public func cancelByProducingResumeData() async -> Data? {
        cancel()
        return nil
    }
}
