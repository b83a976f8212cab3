// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// One inquiry to a server outside of an attempt, and the interpretation of its answers: a value without I/O or a
/// clock. The daemon carries out its steps (`AccountCenter.ask`).
package protocol ServerInquiry: Sendable {
    /// The identity, at its service, of the account whose token is needed; nil if that is not known.
    var tokenOwner: String? { get }

    /// The step to carry out now.
    mutating func next(now: Moment) -> InquiryStep
    /// Receives the token or key that a step has requested.
    mutating func authorized(_ token: GrantedToken)
    /// Handles the answer to the last request.
    mutating func answered(_ answer: TokenAnswer, now: Moment)
}

extension ServerInquiry {
    package var tokenOwner: String? { nil }
}

/// A step of an inquiry.
package enum InquiryStep: Sendable {
    /// Requests a token or key (`authorized`), for requests to these places.
    case authorize(CredentialSource, rejecting: String?, places: [String])
    /// Sends a request; `answered` handles its answer.
    case send(TokenRequest)
    /// Ends with this answer; its status is 404 if nothing of that name exists.
    case finish(TokenAnswer)
    case fail(TransferFailure)
}

extension Answer {
    /// The answer to an inquiry, in the form of an answer to a transfer's request.
    init(_ answer: TokenAnswer) {
        self.init(
            status: answer.status,
            headers: answer.headers,
            httpVersion: "",
            finalURL: "",
            bodyStart: answer.body
        )
    }
}

extension TokenAnswer {
    /// The answer without a token that its server may have repeated.
    func hiding(_ token: String) -> TokenAnswer {
        let answer = Answer(self).hiding(token)
        var hidden = self
        (hidden.body, hidden.headers) = (answer.bodyStart, answer.headers)
        return hidden
    }
}

/// Limits the number and time of an inquiry's requests: a server that always requires another request is given up.
struct InquiryPatience: Sendable {
    private var requests = 0
    private var began: Moment?
    private static let most = 8
    /// Seconds after which no further request is made. The last one may still take half a minute, and `offstage verify`
    /// waits for two minutes.
    private static let longest = 80.0

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - server: for sentences.
    ///   - now: the time.
    /// - Returns: why there is no further request; nil if there is one.
    mutating func refusal(of server: String, now: Moment) -> TransferFailure? {
        guard requests < Self.most else {
            return .init(.serverMisbehaves, "\(server) asks for the same request again and again")
        }
        let began = began ?? now
        self.began = began
        guard now.seconds(since: began) < Self.longest else {
            return .init(.serverBusy, "\(server) takes too long to answer")
        }
        requests += 1  // checked: compared with the limit
        return nil
    }
}
