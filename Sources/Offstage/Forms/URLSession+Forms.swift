// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// Forms. Apple's `URLSession` leaves them to the app, which first writes the whole body to a file; that works here as
/// well.
extension URLSession {
    /// Creates a task that uploads a form, streamed from its files; for background sessions.
    ///
    /// Apart from that, it is like `uploadTask(with:fromFile:)`: the task outlives the program, the delegate receives
    /// its events, and the length is known in advance, in `countOfBytesExpectedToSend`. The files must not change until
    /// they are sent. Stops the program in a foreground session, which could not send a form without copying it.
    ///
    /// - Parameters:
    ///   - request: URL, headers and method; a GET becomes a POST. Its `Content-Type` is replaced by the form's.
    ///   - form: fields and files.
    /// - Returns: the task, suspended.
    public func uploadTask(with request: URLRequest, fromForm form: MultipartForm) -> URLSessionUploadTask {
        formTask("uploadTask(with:fromForm:)", request, form, nil)
    }

    /// Like `uploadTask(with:fromForm:)`, but a handler replaces the delegate as long as the program lives.
    ///
    /// - Parameters:
    ///   - request: as for `uploadTask(with:fromForm:)`.
    ///   - form: fields and files.
    ///   - completionHandler: called with the server's reply, or an error, on the delegate queue.
    /// - Returns: the task, suspended.
    public func uploadTask(
        with request: URLRequest,
        fromForm form: MultipartForm,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        formTask("uploadTask(with:fromForm:completionHandler:)", request, form, .body(completionHandler))
    }

    /// Uploads a form and returns the server's reply; for background sessions.
    ///
    /// The upload continues if the program ends; its outcome then goes to the delegate.
    ///
    /// - Parameters:
    ///   - request: as for `uploadTask(with:fromForm:)`.
    ///   - form: fields and files.
    /// - Returns: the reply's body and response.
    /// - Throws: `URLError` if there is no reply.
    public func upload(for request: URLRequest, fromForm form: MultipartForm) async throws -> (Data, URLResponse) {
        try await AsyncTask.run { self.uploadTask(with: request, fromForm: form, completionHandler: $0) }
    }

    private func formTask(
        _ call: String,
        _ request: URLRequest,
        _ form: MultipartForm,
        _ handler: SessionTaskHandler?
    ) -> URLSessionUploadTask {
        guard let session = self as? BackgroundURLSession else {
            Misuse.stop(
                call,
                "only a background session streams a form from its files; write the body to a file and use uploadTask(with:fromFile:)"
            )
        }
        return session.upload(call, request, .form(form), handler)
    }
}
