// SPDX-License-Identifier: Apache-2.0

/// How the requests of a download are authorized, and how refusals are handled: a value without I/O or clock, like an
/// `UploadDialect`. The dialect does not affect which bytes each request fetches.
package protocol DownloadDialect: Sendable {
    /// The name under which it is registered, and the `DialectSpec.name` of its transfers.
    static var name: String { get }

    /// - Throws: `RequestError` for parameters that it cannot use.
    init(_ spec: TransferSpec) throws(RequestError)

    /// Reads which account a download uses; nil if it uses none.
    ///
    /// - Throws: `RequestError` for parameters that cannot be read.
    static func account(of spec: TransferSpec) throws(RequestError) -> String?

    /// The owner's choices besides the location, for people; nil if none.
    static func options(of spec: TransferSpec) -> String?

    /// The download as the daemon accepts it: what the owner left to the account is filled in.
    ///
    /// - Parameters:
    ///   - spec: as its owner wrote it.
    ///   - account: the account that it uses; nil if no account has that name.
    /// - Returns: the specification to keep.
    /// - Throws: `RequestError` for parameters that cannot be used.
    static func settled(_ spec: TransferSpec, for account: Account?) throws(RequestError) -> TransferSpec

    /// The base URLs of all places that receive requests, without a slash at the end.
    var tokenPlaces: [String] { get }

    /// The credentials that must be granted (`authorized`) before the next request; nil if it needs none.
    var asksFor: CredentialSource? { get }

    /// The text of the token, or the ID of the key, that the server has refused; nil if there is none.
    var rejected: String? { get }

    /// The credentials of `asksFor` were granted.
    mutating func authorized(_ token: GrantedToken)

    /// Makes a request for the file's head, in lane 0, to be sent before a download over several connections begins; nil
    /// to begin with the file itself. Only a success counts: after any other answer the file itself is requested.
    mutating func inquiry(now: Moment) -> DialectRequest?

    /// Makes the request of a lane, authorized at this time. Its range and its conditions are added to it.
    mutating func request(lane: Int, now: Moment) -> DialectRequest

    /// The answer to the request of a lane without secrets of that request, which its server may have repeated: it is
    /// kept, and shown to people. Asked before `answered`, which is told of the answer that this returns.
    func shown(_ answer: Answer, lane: Int) -> Answer

    /// The request of a lane was answered completely, with whatever status.
    ///
    /// - Returns: how to treat the answer.
    mutating func answered(_ answer: Answer, lane: Int, now: Moment) -> DownloadVerdict
}

extension DownloadDialect {
    package func shown(_ answer: Answer, lane: Int) -> Answer { answer }
}

/// How to treat an answer to a download in a dialect.
package enum DownloadVerdict: Sendable, Equatable {
    /// As for any other download.
    case counts
    /// Repeat the request, once the credentials in `asksFor` were granted.
    case ask
    /// The file has changed at the server.
    case beginAgain
    case fail(TransferFailure)
}
