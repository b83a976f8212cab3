// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Synchronization

/// Runs a task with a completion handler as an async function.
enum AsyncTask {
    typealias Handler<Value> = @Sendable (Value?, URLResponse?, (any Error)?) -> Void

    /// Resumes the task and waits for its end; cancelling the caller cancels the task.
    static func run<Value: Sendable>(
        _ make: (@escaping Handler<Value>) -> URLSessionTask
    ) async throws -> (Value, URLResponse) {
        let running = Mutex<URLSessionTask?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = make { value, response, error in
                    if let value, let response, error == nil {
                        continuation.resume(returning: (value, response))
                    } else {
                        continuation.resume(throwing: error ?? URLError(.badServerResponse))
                    }
                }
                running.withLock { $0 = task }
                if Task.isCancelled { task.cancel() } else { task.resume() }
            }
        } onCancel: {
            running.withLock { $0 }?.cancel()
        }
    }

    /// Renames a downloaded file, because the original is deleted once the handler has returned.
    static func keep(_ file: URL?) -> URL? {
        guard let file else { return nil }
        let kept = FileManager.default.temporaryDirectory.appendingPathComponent(file.lastPathComponent)
        do {
            try FileManager.default.moveItem(at: file, to: kept)
            return kept
        } catch {
            return file
        }
    }
}
