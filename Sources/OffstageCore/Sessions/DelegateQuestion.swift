// SPDX-License-Identifier: Apache-2.0

/// A decision that only the app that owns a session's task can make.
package enum DelegateQuestion: Sendable, Hashable, Codable {
    /// `urlSession(_:didReceive:completionHandler:)` or its form for one task.
    case challenge(Challenge)
    /// `urlSession(_:task:willBeginDelayedRequest:completionHandler:)`: the date has come.
    case willBeginDelayedRequest
}

/// The app's decision.
package enum DelegateAnswer: Sendable, Hashable, Codable {
    /// A name and password for HTTP authentication.
    case credential(user: String, password: String)
    /// Trusts the server's key, whatever its certificate says: `sha256//` and Base64, as in curl.
    case trustKey(String)
    /// Continues as if the app had not been asked: an unaccepted certificate ends the task, and so does a 401.
    case performDefaultHandling
    /// Ends the task as cancelled.
    case cancel
    /// Begins as it is.
    case continueLoading
    /// Begins with another request.
    case useNewRequest(url: RequestURL, method: String, headers: [HeaderField])
}
