// SPDX-License-Identifier: Apache-2.0

/// Decides how one upload is sent to its server: a value that chooses what to send next, interprets the answers, and
/// states what must be on the disk first. It does no I/O and reads no clock.
///
/// An instance lives as long as an attempt of its transfer: until a request fails, or the dialect reports that it is
/// done. A failure ends the attempt, and `Transfer` decides whether another follows. The next attempt begins with a new
/// dialect, made from the specification and the kept `memory`. A lost reply, a killed daemon and a retry therefore take
/// the same path: `init(_:memory:now:)`, then `next`.
package protocol UploadDialect: Sendable {
    /// The name under which it is registered, and the `DialectSpec.name` of its transfers.
    static var name: String { get }

    /// - Parameters:
    ///   - spec: the transfer; its `direction` is an upload.
    ///   - memory: the memory that this transfer's last dialect kept; nil if there is none.
    ///   - now: the time.
    /// - Throws: `RequestError` for parameters or a source that the dialect cannot use. A memory that cannot be read
    ///   counts as absent.
    init(_ spec: TransferSpec, memory: [UInt8]?, now: Moment) throws(RequestError)

    /// Reads which account an upload is for; nil if it is for no account.
    ///
    /// - Throws: `RequestError` for parameters that cannot be read.
    static func account(of spec: TransferSpec) throws(RequestError) -> String?

    /// The owner's choices other than the destination, for people, such as "overwrite, autorename"; nil if there are
    /// none.
    static func options(of spec: TransferSpec) -> String?

    /// The upload as the daemon accepts it: values that the owner left to the account are filled in, and values that
    /// follow from the parameters are set accordingly.
    ///
    /// - Parameters:
    ///   - spec: the specification as its owner wrote it.
    ///   - account: the account that it is for; nil if no account has that name.
    /// - Returns: the specification to keep.
    /// - Throws: `RequestError` for parameters that cannot be used.
    static func settled(_ spec: TransferSpec, for account: Account?) throws(RequestError) -> TransferSpec

    /// The base URLs of all places to which a token is sent, without a slash at the end.
    var tokenPlaces: [String] { get }

    /// The user of the account at its service when the upload was handed over, or when the upload first got a token;
    /// nil if unknown. No other user's token is requested.
    var tokenOwner: String? { get }

    /// Requests that may be under way at once; 1 by default.
    var lanes: Int { get }

    /// Returns the step to carry out now. Called again after each of the events below, and after sending a request if
    /// another lane is free.
    mutating func next(now: Moment) -> DialectStep

    /// Records how many bytes of the body of a lane's request had been sent when its answer arrived. Called just before
    /// `answered`: a server may refuse a body before it has read all of it.
    mutating func sentBody(_ bytes: Int64, lane: Int)

    /// Handles a complete answer to a lane's request, whatever its status.
    mutating func answered(_ answer: Answer, lane: Int, now: Moment)

    /// Handles a lane's request that got no answer: the attempt is over, and the requests of other lanes are broken
    /// off.
    ///
    /// - Parameters:
    ///   - failure: the reason.
    ///   - lane: the lane of the request.
    ///   - sent: the bytes of the request's body that had been sent.
    ///   - now: the time.
    /// - Returns: the failure that the attempt ends with: this one, or one that says more.
    mutating func broke(_ failure: TransferFailure, lane: Int, sent: Int64, now: Moment) -> TransferFailure

    /// Handles an interim response (104, Upload Resumption Supported) that the server has sent while the request of a
    /// lane is under way. A changed `memory` is stored soon; nothing waits for it.
    mutating func receivedInterim(_ interim: [HeaderField], lane: Int)

    /// Receives SHA-256 digests of blocks of the source.
    ///
    /// - Parameters:
    ///   - digests: 32 bytes for each block of 4 MiB; the last one may be shorter.
    ///   - offset: the offset in the source at which the first block begins.
    mutating func digested(_ digests: [UInt8], from offset: Int64)

    /// Receives the digest of a part of the source.
    mutating func hashed(_ bytes: [UInt8], _ digest: SourceDigest)

    /// Receives the token or key that `next` requested.
    mutating func authorized(_ token: GrantedToken)

    /// Handles the denial of the token or key that `next` requested: the attempt is over.
    ///
    /// - Parameter failure: the reason.
    /// - Returns: the failure that the attempt ends with: this one, or one that says more.
    mutating func denied(_ failure: TransferFailure) -> TransferFailure

    /// Blocks of the source whose digests will be needed, to be computed while a request is under way; nil if there are
    /// none. Begins at a multiple of 4 MiB.
    var digestsAhead: Range<Int64>? { get }

    /// A digest that will most likely be needed next, to be computed while a request is under way; nil if there is
    /// none.
    var hashAhead: SourceDigest? { get }

    /// The data to keep for the next attempt; nil if there is none.
    var memory: [UInt8]? { get }

    /// Whether the server keeps the received part of an interrupted upload, and the dialect knows how much that is. If
    /// not, the next attempt sends the whole file.
    var isResumable: Bool { get }

    /// Bytes of the source that the server has acknowledged.
    var acknowledged: Int64 { get }

    /// Where the finished file is, for people; nil if it is at the requested place.
    var destination: String? { get }

    /// The credentials that must be granted (`authorized`) before `farewell` is read; nil if it needs none.
    var farewellSource: CredentialSource? { get }

    /// The request that makes the server discard an upload that its owner has cancelled; nil if there is nothing to
    /// discard. It is sent once, without waiting for its answer: servers also discard such uploads on their own, later.
    var farewell: DialectRequest? { get }

    /// The state of the transfer, for people, such as "8.00 MiB of 20.0 MiB are stored"; nil if there is nothing to add.
    var standing: String? { get }
}

extension UploadDialect {
    package static func account(of spec: TransferSpec) throws(RequestError) -> String? { nil }
    package static func options(of spec: TransferSpec) -> String? { nil }
    package static func settled(_ spec: TransferSpec, for account: Account?) throws(RequestError) -> TransferSpec {
        spec
    }
    package var tokenPlaces: [String] { [] }
    package var tokenOwner: String? { nil }
    package var lanes: Int { 1 }
    package mutating func sentBody(_ bytes: Int64, lane: Int) {}
    package mutating func broke(
        _ failure: TransferFailure,
        lane: Int,
        sent: Int64,
        now: Moment
    ) -> TransferFailure { failure }
    package mutating func receivedInterim(_ interim: [HeaderField], lane: Int) {}
    package mutating func digested(_ digests: [UInt8], from offset: Int64) {}
    package mutating func hashed(_ bytes: [UInt8], _ digest: SourceDigest) {}
    package mutating func authorized(_ token: GrantedToken) {}
    package mutating func denied(_ failure: TransferFailure) -> TransferFailure { failure }
    package var digestsAhead: Range<Int64>? { nil }
    package var hashAhead: SourceDigest? { nil }
    package var memory: [UInt8]? { nil }
    package var isResumable: Bool { true }
    package var acknowledged: Int64 { 0 }
    package var destination: String? { nil }
    package var farewellSource: CredentialSource? { nil }
    package var farewell: DialectRequest? { nil }
    package var standing: String? { nil }
}
