// SPDX-License-Identifier: Apache-2.0

/// What only the app that owns a session's task can decide.
package enum DelegateQuestion: Sendable, Hashable, Codable {
    /// `urlSession(_:didReceive:completionHandler:)` or its form for one task.
    case challenge(Challenge)
    /// `urlSession(_:task:willBeginDelayedRequest:completionHandler:)`: the date has come.
    case willBeginDelayedRequest
}

/// What the app decided.
package enum DelegateAnswer: Sendable, Hashable, Codable {
    /// A name and password for HTTP authentication.
    case credential(user: String, password: String)
    /// The server's key is to be trusted, whatever its certificate says: `sha256//` and Base64, as curl writes it.
    case trustKey(String)
    /// Goes on as if nobody had been asked: a certificate that is not accepted ends the task, and so does a 401.
    case performDefaultHandling
    /// Ends the task as cancelled.
    case cancel
    /// Begins as it is.
    case continueLoading
    /// Begins with another request.
    case useNewRequest(url: RequestURL, method: String, headers: [HeaderField])
}
