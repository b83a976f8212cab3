// SPDX-License-Identifier: Apache-2.0

/// How one upload is spoken to its server: a value that says what to send next, what an answer means, and what has to
/// be on the disk before that. It does no I/O and reads no clock.
///
/// One lives as long as an attempt of its transfer: from there until a request fails, or the dialect says that it is
/// done. A failure ends the attempt, and `Transfer` decides whether there is another; that begins with a dialect made
/// anew from the specification and what was kept (`memory`). A lost reply, a daemon that was killed and a retry are
/// therefore one path: `init(_:memory:now:)`, then `next`.
package protocol UploadDialect: Sendable {
    /// What it is registered under, and `DialectSpec.name` of its transfers.
    static var name: String { get }

    /// Whether the server keeps what has arrived of an upload that broke, and the dialect knows how much that is. Where it
    /// does not, an attempt sends the whole file.
    static var isResumable: Bool { get }

    /// - Parameters:
    ///   - spec: the transfer; its `direction` is an upload.
    ///   - memory: what a dialect of this transfer kept last; nil for none.
    ///   - now: the time.
    /// - Throws: `RequestError` for parameters or a source that the dialect cannot do anything with. A memory that
    ///   cannot be read is none.
    init(_ spec: TransferSpec, memory: [UInt8]?, now: Moment) throws(RequestError)

    /// Reads which account an upload is for; nil for none.
    ///
    /// - Throws: `RequestError` for parameters that cannot be read.
    static func account(of spec: TransferSpec) throws(RequestError) -> String?

    /// What its owner decided besides the place, for people, such as "overwrite, autorename"; nil for nothing.
    static func options(of spec: TransferSpec) -> String?

    /// The upload as the daemon takes it in: what its owner left to the account is filled in, and what follows from the
    /// parameters is as they say.
    ///
    /// - Parameters:
    ///   - spec: as its owner wrote it.
    ///   - account: the one that it is for; nil when there is none of that name.
    /// - Returns: what is kept.
    /// - Throws: `RequestError` for parameters that cannot be used.
    static func settled(_ spec: TransferSpec, for account: Account?) throws(RequestError) -> TransferSpec

    /// The bases of all URLs that a token is sent to, without a slash at the end.
    var tokenPlaces: [String] { get }

    /// Who the account was at its service when the upload was handed over, or when it first had a token for it; nil when
    /// that is not known. Nobody else's token is asked for.
    var tokenOwner: String? { get }

    /// Requests that may be under way at once: one, if it does not say otherwise.
    var lanes: Int { get }

    /// What is to be done now. Asked again after each of the events below, and after a request has been sent while another
    /// may be.
    mutating func next(now: Moment) -> DialectStep

    /// The request of a lane was answered completely, whatever the status.
    mutating func answered(_ answer: Answer, lane: Int, now: Moment)

    /// The request of a lane came to no answer: the attempt is over, and the requests of other lanes are broken off.
    ///
    /// - Parameters:
    ///   - failure: why.
    ///   - lane: which.
    ///   - sent: bytes of the request's body that had been sent.
    ///   - now: the time.
    /// - Returns: what the attempt ends with: this failure, or one that says more.
    mutating func broke(_ failure: TransferFailure, lane: Int, sent: Int64, now: Moment) -> TransferFailure

    /// SHA-256 digests of blocks of the source have been computed.
    ///
    /// - Parameters:
    ///   - digests: 32 bytes for each block of 4 MiB; the last one may be shorter.
    ///   - offset: where in the source the first block begins.
    mutating func digested(_ digests: [UInt8], from offset: Int64)

    /// A token for the account that `next` named.
    mutating func authorized(_ token: GrantedToken)

    /// Blocks of the source whose digests will be asked for, to be computed while a request is under way; nil for none.
    /// Begins at a multiple of 4 MiB.
    var digestsAhead: Range<Int64>? { get }

    /// What is to be kept for the next attempt; nil for nothing.
    var memory: [UInt8]? { get }

    /// Bytes of the source that the server has acknowledged.
    var acknowledged: Int64 { get }

    /// Where the file is once it is done, for people, where that is not where it was asked to be; nil for there.
    var destination: String? { get }

    /// Where the transfer stands, for people, such as "chunk 3, from byte 16777216"; nil for nothing to add.
    var standing: String? { get }
}

extension UploadDialect {
    package static var isResumable: Bool { true }
    package static func account(of spec: TransferSpec) throws(RequestError) -> String? { nil }
    package static func options(of spec: TransferSpec) -> String? { nil }
    package static func settled(_ spec: TransferSpec, for account: Account?) throws(RequestError) -> TransferSpec {
        spec
    }
    package var tokenPlaces: [String] { [] }
    package var tokenOwner: String? { nil }
    package var lanes: Int { 1 }
    package mutating func broke(
        _ failure: TransferFailure,
        lane: Int,
        sent: Int64,
        now: Moment
    ) -> TransferFailure { failure }
    package mutating func digested(_ digests: [UInt8], from offset: Int64) {}
    package mutating func authorized(_ token: GrantedToken) {}
    package var digestsAhead: Range<Int64>? { nil }
    package var memory: [UInt8]? { nil }
    package var acknowledged: Int64 { 0 }
    package var destination: String? { nil }
    package var standing: String? { nil }
}
