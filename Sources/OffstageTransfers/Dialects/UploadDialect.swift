// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

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

    /// What is to be done now. Asked again after each of the events below, and then alone: at most one step is under
    /// way, but for `digestsAhead`.
    mutating func next(now: Moment) -> DialectStep

    /// The request that `next` asked for was answered completely, whatever the status.
    mutating func answered(_ answer: Answer, now: Moment)

    /// The request that `next` asked for came to no answer.
    ///
    /// - Parameters:
    ///   - failure: why.
    ///   - sent: bytes of the request's body that had been sent.
    ///   - now: the time.
    /// - Returns: what the attempt ends with: this failure, or one that says more.
    mutating func broke(_ failure: TransferFailure, sent: Int64, now: Moment) -> TransferFailure

    /// SHA-256 digests of blocks of the source have been computed.
    ///
    /// - Parameters:
    ///   - digests: 32 bytes for each block of 4 MiB; the last one may be shorter.
    ///   - offset: where in the source the first block begins.
    mutating func digested(_ digests: [UInt8], from offset: Int64)

    /// What is known of the source's digests; nil for nothing. An attempt is given what the one before it knew, as long as
    /// the source is the same.
    var digests: BlockDigests? { get set }

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
    package static func account(of spec: TransferSpec) throws(RequestError) -> String? { nil }
    package static func options(of spec: TransferSpec) -> String? { nil }
    package static func settled(_ spec: TransferSpec, for account: Account?) throws(RequestError) -> TransferSpec {
        spec
    }
    package var tokenPlaces: [String] { [] }
    package var tokenOwner: String? { nil }
    package mutating func broke(_ failure: TransferFailure, sent: Int64, now: Moment) -> TransferFailure { failure }
    package mutating func digested(_ digests: [UInt8], from offset: Int64) {}
    package var digests: BlockDigests? {
        get { nil }
        set {}
    }
    package mutating func authorized(_ token: GrantedToken) {}
    package var digestsAhead: Range<Int64>? { nil }
    package var memory: [UInt8]? { nil }
    package var acknowledged: Int64 { 0 }
    package var destination: String? { nil }
    package var standing: String? { nil }
}

/// What a dialect wants done.
package enum DialectStep: Sendable, Equatable {
    /// Sends a request. What `memory` says at this moment is committed first.
    case send(DialectRequest)
    /// Computes the digests of blocks of the source (`digested`): 4 MiB each, counted from where the range begins. Asked
    /// again whenever some of them are there.
    case digest(Range<Int64>)
    /// Gets a token for an account (`authorized`); `rejecting` one that the server did not take.
    case authorize(account: String, rejecting: String?)
    /// The transfer is over, and this is its answer.
    case finish(Answer)
    /// The attempt has failed.
    case fail(TransferFailure)
}

/// A request of a dialect.
package struct DialectRequest: Sendable, Equatable {
    package var method: String
    package var url: RequestURL
    /// Secrets among them are nowhere shown.
    package var headers: [HeaderField]
    package var body: RequestBody
    /// Where in the source the body begins: what is sent of it counts from there. Nil for a body that is not of the
    /// source.
    package var sourceOffset: Int64?
    /// Whether the server refuses a body that is not what was hashed: then the source need not be looked at once it is
    /// sent, and a commit that has gone well is not taken for a failure.
    package var provesBody: Bool

    package init(
        method: String = "POST",
        url: RequestURL,
        headers: [HeaderField] = [],
        body: RequestBody = RequestBody(),
        sourceOffset: Int64? = nil,
        provesBody: Bool = false
    ) {
        self.provesBody = provesBody
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.sourceOffset = sourceOffset
    }
}
