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

    /// The owner's choices other than the location, for people; nil if there are none.
    static func options(of spec: TransferSpec) -> String?

    /// The download as the daemon accepts it, with the values that the owner left to the account filled in.
    ///
    /// - Parameters:
    ///   - spec: the specification as its owner wrote it.
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

    /// Handles the granting of the credentials of `asksFor`.
    mutating func authorized(_ token: GrantedToken)

    /// Makes a request for the file's head, in lane 0, to be sent before a download over several connections begins; nil
    /// to begin with the file itself. Only a success counts: after any other answer the file itself is requested.
    mutating func inquiry(now: Moment) -> DialectRequest?

    /// Makes the request of a lane, authorized at this time. The caller adds its range and conditions.
    mutating func request(lane: Int, now: Moment) -> DialectRequest

    /// The answer to a lane's request, without secrets of that request that the server may have repeated: it is kept,
    /// and shown to people. Called before `answered`, which receives the answer that this returns.
    func shown(_ answer: Answer, lane: Int) -> Answer

    /// Handles a complete answer to a lane's request, whatever its status.
    ///
    /// - Returns: how to treat the answer.
    mutating func answered(_ answer: Answer, lane: Int, now: Moment) -> DownloadVerdict
}

extension DownloadDialect {
    package func shown(_ answer: Answer, lane: Int) -> Answer { answer }
}

/// How to treat an answer to a download in a dialect.
package enum DownloadVerdict: Sendable, Equatable {
    /// Treat it as for any other download.
    case counts
    /// Repeat the request once the credentials in `asksFor` are granted.
    case ask
    /// The file has changed at the server.
    case beginAgain
    case fail(TransferFailure)
}
