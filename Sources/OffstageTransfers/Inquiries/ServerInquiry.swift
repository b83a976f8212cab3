// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// One question to a server that belongs to no attempt at a transfer, and what its answers mean: a value without I/O or
/// clock. The daemon carries its steps out (`AccountCenter.ask`).
package protocol ServerInquiry: Sendable {
    /// Whose token is wanted, if that is known: the account's identity at its service.
    var tokenOwner: String? { get }

    /// What is to be done now.
    mutating func next(now: Moment) -> InquiryStep
    /// Brings the token or key that a step asked for.
    mutating func authorized(_ token: GrantedToken)
    /// Takes the answer to the last request.
    mutating func answered(_ answer: TokenAnswer, now: Moment)
}

extension ServerInquiry {
    package var tokenOwner: String? { nil }
}

/// What an inquiry wants.
package enum InquiryStep: Sendable {
    /// A token or key (`authorized`), for requests to these places.
    case authorize(CredentialSource, rejecting: String?, places: [String])
    /// To be sent; its answer is taken by `answered`.
    case send(TokenRequest)
    /// The answer; it says 404 if what was asked about is not there.
    case finish(TokenAnswer)
    case fail(TransferFailure)
}

extension Answer {
    /// The answer to a question, as one to a transfer's request.
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
        return TokenAnswer(status: status, body: answer.bodyStart, headers: answer.headers, retryAfter: retryAfter)
    }
}

/// How often, and how long, an inquiry has asked for something: a server that always wants another request is given up.
struct InquiryPatience: Sendable {
    private var requests = 0
    private var began: Moment?
    private static let most = 8
    /// Seconds after which nothing more is asked. A request may then still take half a minute, and whoever wants to know waits
    /// for two.
    private static let longest = 80.0

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - server: for sentences.
    ///   - now: the time.
    /// - Returns: why there is no further one; nil if there is.
    mutating func refusal(of server: String, now: Moment) -> TransferFailure? {
        guard requests < Self.most else {
            return .init(.serverMisbehaves, "\(server) wants the same question again and again")
        }
        let began = began ?? now
        self.began = began
        guard now.seconds(since: began) < Self.longest else {
            return .init(.serverBusy, "it takes too long to ask \(server)")
        }
        requests += 1  // checked: it was compared
        return nil
    }
}
