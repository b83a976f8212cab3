// SPDX-License-Identifier: Apache-2.0

/// How the requests of a download are authorized, and what refusals of them mean: a value without I/O or clock, like an
/// `UploadDialect`. Which bytes each request fetches is decided as for any download.
package protocol DownloadDialect: Sendable {
    /// The name under which it is registered, and the `DialectSpec.name` of its transfers.
    static var name: String { get }

    /// - Throws: `RequestError` for parameters that it cannot use.
    init(_ spec: TransferSpec) throws(RequestError)

    /// Reads which account a download is with; nil if it is with no account.
    ///
    /// - Throws: `RequestError` for parameters that cannot be read.
    static func account(of spec: TransferSpec) throws(RequestError) -> String?

    /// The owner's choices besides the place, for people; nil if none.
    static func options(of spec: TransferSpec) -> String?

    /// The download as the daemon accepts it: what the owner left to the account is filled in.
    ///
    /// - Parameters:
    ///   - spec: as its owner wrote it.
    ///   - account: the account that it is with; nil if no account has that name.
    /// - Returns: the specification to keep.
    /// - Throws: `RequestError` for parameters that cannot be used.
    static func settled(_ spec: TransferSpec, for account: Account?) throws(RequestError) -> TransferSpec

    /// The base URLs of all places that requests go to, without a slash at the end.
    var tokenPlaces: [String] { get }

    /// What has to be granted (`authorized`) before the next request can be made; nil if nothing.
    var asksFor: CredentialSource? { get }

    /// The text of a token, or the ID of a key, that the server did not accept; nil if there is none.
    var rejected: String? { get }

    /// What `asksFor` names was granted.
    mutating func authorized(_ token: GrantedToken)

    /// The request of a lane, authorized now. Its range and its conditions are added to it.
    mutating func request(lane: Int, now: Moment) -> DialectRequest

    /// The request of a lane was answered completely, with whatever status.
    ///
    /// - Returns: what that means.
    mutating func answered(_ answer: Answer, lane: Int, now: Moment) -> DownloadVerdict
}

/// What an answer means to a download in a dialect.
package enum DownloadVerdict: Sendable, Equatable {
    /// The same as to any download.
    case counts
    /// The request is made once more, as soon as nothing has to be granted for it.
    case ask
    /// The file has changed at the server.
    case beginAgain
    case fail(TransferFailure)
}
