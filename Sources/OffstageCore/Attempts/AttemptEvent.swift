// SPDX-License-Identifier: Apache-2.0

/// An event in the life of an attempt.
package enum AttemptEvent: Sendable {
    /// The file is open: a download's partial file, or an upload's source with the dialect in which it is sent. The
    /// transfer continues from `offset`. `pieces` is set for a download that may use several connections, `download`
    /// for one whose requests are authorized.
    case opened(
        (any UploadDialect)?,
        offset: Int64,
        pieces: PieceSchedule? = nil,
        download: (any DownloadDialect)? = nil
    )
    /// The file could not be opened, or must not be used.
    case notOpened
    /// The transfer counts as running, under this attempt number.
    case begun(number: Int)
    /// The requested commit is in the store, and with the keeper, if there is one.
    case committed
    /// The keeper is unavailable, or has refused: the transfer's row no longer belongs to this machine.
    case notKept(isRefused: Bool)
    /// The requested token was granted.
    case authorized(GrantedToken)
    /// No token is available.
    case notAuthorized(TransferFailure)
    /// Digests of a span's blocks; the first block begins at `offset`.
    case digested([UInt8], offset: Int64, span: Int)
    /// The digest of a whole span.
    case hashed([UInt8], SourceDigest, span: Int)
    /// A span could not be hashed.
    case notDigested(TransferFailure, span: Int)
    /// The byte of the file that the request of a lane has reached.
    case moved(lane: Int, reached: Int64)
    /// The first response of a download shows that its file, of `total` bytes, may be fetched in pieces; `answer` is
    /// the head of that response.
    case divisible(total: Int64, answer: Answer? = nil)
    /// An address other than the one in use has answered the request of a lane with the requested piece.
    case answeredBeside(lane: Int, PartialDownload.Validator?)
    /// Requests of a download have made progress, and some time has passed. The host of the address in use has `free`
    /// more connections left.
    case measured(free: Int)
    /// The store has recorded that the partial file has holes from now on.
    case holesCommitted
    /// A sync of the partial file has failed: the bytes received since the previous sync may be lost.
    case unsynced(TransferFailure)
    /// The server has sent an interim response (104) to the request of a lane.
    case receivedInterim([HeaderField], lane: Int)
    /// The engine is done with the request of a lane.
    case ended(lane: Int, AttemptResult, reached: Int64)
    /// The engine has released the request of a lane, which was broken off.
    case released(lane: Int)
    /// The transfer continues without this attempt: it was paused or cancelled, expired, or its host is unreachable.
    case breakOff
    /// The transfer has accepted the result; the partial file must be checked, synced and renamed.
    case save
    /// The transfer has accepted the result; nothing is left to do.
    case dismiss
    /// The partial file was renamed, or cannot be.
    case saved
}
