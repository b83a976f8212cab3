// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
import OffstageCore

/// An upload to an account that the daemon is signed in to, to S3, or to Google Cloud Storage: it needs only a file and
/// a destination.
///
/// ```swift
/// let uploader = Uploader.dropbox(path: "/Photos/a.jpg", autorename: true)
/// try uploader.uploadTask(in: session, fromFile: photo).resume()
/// ```
///
/// The daemon opens the upload session, sends the chunks, renews the token, resumes after an interruption, and commits;
/// the app may be suspended or dead in the meantime. The task is like any other task of a background session:
/// `getAllTasks` finds it again, its delegate receives its events, and its end wakes the app once. A person signs in
/// with `offstage account add`, or puts keys where the AWS command line or Google's libraries look for them; an app
/// never has a token or a key.
public struct Uploader: Sendable, Hashable {
    /// What happens to a file that already exists at the destination.
    ///
    /// A file with the same content is not a conflict, unless `strictConflict` says otherwise.
    public struct Mode: Sendable, Hashable {
        let writeMode: DropboxWriteMode

        /// A different file at the destination is a conflict.
        public static let add = Mode(writeMode: .add)
        /// An existing file is overwritten.
        public static let overwrite = Mode(writeMode: .overwrite)

        /// An existing file is overwritten if it still has this revision; otherwise it is a conflict.
        ///
        /// - Parameter revision: `UploadedFile.revision` of an earlier upload, or Dropbox's `rev`.
        /// - Returns: the mode.
        public static func update(revision: String) -> Mode { Mode(writeMode: .update(revision: revision)) }
    }

    /// The destination of files.
    enum Destination: Sendable, Hashable {
        case dropbox(DropboxParameters)
        case s3(S3Destination)
        case gcs(GCSDestination)
    }

    let destination: Destination

    /// An upload to Dropbox.
    ///
    /// - Parameters:
    ///   - account: the account's name, as shown by `offstage account list`.
    ///   - path: the destination, including the file's name: `/Photos/a.jpg`.
    ///   - mode: what happens to an existing file.
    ///   - autorename: whether Dropbox chooses another name if there would be a conflict; `UploadedFile.path` contains
    ///     it.
    ///   - mute: whether to suppress the announcement of the file in people's Dropbox apps.
    ///   - strictConflict: whether a file with the same content is a conflict, too.
    ///   - modified: the modification time that Dropbox shows; nil for the time of the upload.
    /// - Returns: the upload. Its values are checked when a task is created.
    public static func dropbox(
        account: String = "dropbox",
        path: String,
        mode: Mode = .add,
        autorename: Bool = false,
        mute: Bool = false,
        strictConflict: Bool = false,
        modified: Date? = nil
    ) -> Uploader {
        var parameters = DropboxParameters(account: account, path: path)
        parameters.mode = mode.writeMode
        parameters.autorename = autorename
        parameters.mute = mute
        parameters.strictConflict = strictConflict
        parameters.clientModified = modified
        return Uploader(destination: .dropbox(parameters))
    }

    /// Creates the task, suspended.
    ///
    /// `didSendBodyData` counts the file's bytes and never goes back, even if bytes have to be sent again. The body of
    /// Dropbox's response is its FileMetadata (`UploadedFile(reply:)` reads it). S3's response has the object's `ETag`
    /// and, in a bucket with versions, its `x-amz-version-id`. The body of Google's response describes the object. A
    /// permanent refusal is a `URLError` with a message. The file must not change until the upload ends.
    ///
    /// - Parameters:
    ///   - session: a background session. Stops the program if this is a foreground session, which could not outlive
    ///     the program.
    ///   - fileURL: the file.
    /// - Returns: the task.
    /// - Throws: `URLError` with a message if the account's name, the path or the revision is invalid, or there is no
    ///   key to sign for S3 or to get a token from Google.
    public func uploadTask(in session: URLSession, fromFile fileURL: URL) throws -> URLSessionUploadTask {
        try task("Uploader.uploadTask(in:fromFile:)", session, fileURL, nil)
    }

    /// Like `uploadTask(in:fromFile:)`, but a handler replaces the delegate as long as the program lives.
    ///
    /// - Parameters:
    ///   - session: a background session.
    ///   - fileURL: the file.
    ///   - completionHandler: called on the delegate queue with the uploaded file as the service reports it, or a
    ///     `URLError`.
    /// - Returns: the task, suspended.
    /// - Throws: `URLError`, as for `uploadTask(in:fromFile:)`.
    public func uploadTask(
        in session: URLSession,
        fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Result<UploadedFile, any Error>) -> Void
    ) throws -> URLSessionUploadTask {
        let handler = SessionTaskHandler.body { data, response, error in
            completionHandler(Result { try file(fileURL, data, response, error) })
        }
        return try task("Uploader.uploadTask(in:fromFile:completionHandler:)", session, fileURL, handler)
    }

    /// Uploads a file and reports its progress.
    ///
    /// ```swift
    /// for try await event in try uploader.upload(fromFile: photo, in: session) {
    ///     switch event {
    ///     case .progress(let sent, let total): show(sent, of: total)
    ///     case .uploaded(let file): print(file.path)
    ///     }
    /// }
    /// ```
    ///
    /// A slow reader misses only outdated progress.
    ///
    /// The upload begins immediately. It continues if the program ends or the loop is left; `UploadEvents.task` can
    /// cancel it. After the program has ended, the outcome goes to the delegate or to `URLSession.backgroundEvents`.
    ///
    /// - Parameters:
    ///   - fileURL: the file.
    ///   - session: a background session.
    /// - Returns: the events; the last is `uploaded`, or a `URLError` is thrown.
    /// - Throws: `URLError`, as for `uploadTask(in:fromFile:)`.
    public func upload(fromFile fileURL: URL, in session: URLSession) throws -> UploadEvents {
        let (stream, continuation) = UploadEvents.makeStream()
        let handler = SessionTaskHandler.body { data, response, error in
            do {
                continuation.yield(.uploaded(try file(fileURL, data, response, error)))
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        let task = try task("Uploader.upload(fromFile:in:)", session, fileURL, handler) { sent, total in
            continuation.yield(.progress(sent: sent, of: total))
        }
        task.resume()
        return UploadEvents(task: task, stream: stream)
    }

    private func task(
        _ call: String,
        _ session: URLSession,
        _ fileURL: URL,
        _ handler: SessionTaskHandler?,
        watcher: (@Sendable (Int64, Int64) -> Void)? = nil
    ) throws -> URLSessionUploadTask {
        guard let session = session as? BackgroundURLSession else {
            Misuse.stop(
                call,
                "only a background session uploads to an account or to a bucket; make one with URLSessionConfiguration.background(withIdentifier:)"
            )
        }
        do throws(RequestError) {
            let (dialect, target, headers) = try request(fileURL)
            guard let url = URL(string: target.unredacted) else { throw .invalidURL("it is malformed") }
            return session.upload(call, dialect, url, headers, fileURL, handler, watcher)
        } catch {
            throw URLError(.badURL, userInfo: [NSLocalizedDescriptionKey: error.sentence])
        }
    }

    /// The dialect, the URL and the header fields of an upload.
    private func request(_ fileURL: URL) throws(RequestError) -> (DialectSpec, RequestURL, [HeaderField]) {
        switch destination {
        case .dropbox(let parameters): return (try parameters.dialectSpec(), try parameters.url(), [])
        case .s3(let object):
            let parameters = try object.parameters()
            let type = GuessedContentType.ofFile(named: object.location.key, at: fileURL.path)
            let headers = [HeaderField(name: "Content-Type", value: type)]
            return (try parameters.dialectSpec(), try parameters.url(), headers)
        case .gcs(let object):
            let parameters = try object.parameters()
            let type = GuessedContentType.ofFile(named: object.location.object, at: fileURL.path)
            let headers = [HeaderField(name: "Content-Type", value: type)]
            return (try parameters.dialectSpec(), try parameters.url(), headers)
        }
    }

    /// Reads the arguments of a task's completion handler.
    private func file(
        _ fileURL: URL,
        _ data: Data?,
        _ response: URLResponse?,
        _ error: (any Error)?
    ) throws -> UploadedFile {
        switch destination {
        case .dropbox: return try UploadedFile(reply: data, error: error)
        case .s3(let object):
            if let error { throw error }
            return try UploadedFile(object.location, of: fileURL, response as? HTTPURLResponse)
        case .gcs(let object):
            if let error { throw error }
            return try UploadedFile(object.location, reply: data ?? Data())
        }
    }
}
