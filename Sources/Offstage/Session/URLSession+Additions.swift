// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

extension URLSession {
    /// The tasks that have not ended.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsession/alltasks>
    public var allTasks: [URLSessionTask] {
        get async {
            await withCheckedContinuation { continuation in getAllTasks { continuation.resume(returning: $0) } }
        }
    }

    /// The tasks that have not ended, by kind.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsession/tasks>
    public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async {
            await withCheckedContinuation { continuation in
                getTasksWithCompletionHandler { continuation.resume(returning: ($0, $1, $2)) }
            }
        }
    }

    /// Creates a task that continues the upload of a task that failed or was cancelled by
    /// `cancel(byProducingResumeData:)`. The upload starts over if its file has changed or the server has forgotten it.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsession/uploadtask(withresumedata:)>
    public func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        guard let session = self as? BackgroundURLSession else {
            Misuse.stop("uploadTask(withResumeData:)", "FoundationNetworking's sessions make no such data")
        }
        let draft = SessionTaskDraft(uploadResumeData: resumeData, settings: session.core.settings)
        return session.core.make("uploadTask(withResumeData:)", draft, nil) { BackgroundUploadTask($0) }
    }

    /// Uploads a file and returns the server's reply.
    ///
    /// In a background session the upload continues if the program ends; its outcome then goes to the delegate.
    /// <https://developer.apple.com/documentation/foundation/urlsession/upload(for:fromfile:delegate:)>
    public func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) {
        guard self is BackgroundURLSession else {
            return try await upload(for: request, fromFile: fileURL, delegate: nil)
        }
        return try await AsyncTask.run { self.uploadTask(with: request, fromFile: fileURL, completionHandler: $0) }
    }

    /// Uploads data and returns the server's reply.
    ///
    /// In a background session the upload continues if the program ends; its outcome then goes to the delegate.
    /// <https://developer.apple.com/documentation/foundation/urlsession/upload(for:from:delegate:)>
    public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
        guard self is BackgroundURLSession else {
            return try await upload(for: request, from: bodyData, delegate: nil)
        }
        return try await AsyncTask.run { self.uploadTask(with: request, from: bodyData, completionHandler: $0) }
    }

    /// Downloads to a file, which the caller must move or delete.
    ///
    /// In a background session the download continues if the program ends; its outcome then goes to the delegate.
    /// <https://developer.apple.com/documentation/foundation/urlsession/download(for:delegate:)>
    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        guard self is BackgroundURLSession else { return try await download(for: request, delegate: nil) }
        return try await AsyncTask.run { handler in
            self.downloadTask(with: request) { handler(AsyncTask.keep($0), $1, $2) }
        }
    }

    /// Downloads to a file, which the caller must move or delete.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsession/download(from:delegate:)>
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await download(for: URLRequest(url: url))
    }

    /// Loads data within the process.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsession/data(for:delegate:)>
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        guard self is BackgroundURLSession else { return try await data(for: request, delegate: nil) }
        return try await AsyncTask.run { self.dataTask(with: request, completionHandler: $0) }
    }

    /// Loads data within the process.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsession/data(from:delegate:)>
    public func data(from url: URL) async throws -> (Data, URLResponse) { try await data(for: URLRequest(url: url)) }
}
