// SPDX-License-Identifier: Apache-2.0

/// What happens to an attempt.
package enum AttemptEvent: Sendable {
    /// Its file is open: a download's partial file, or the source of an upload, with the dialect that it is sent in. It goes
    /// on from `offset`.
    case opened((any UploadDialect)?, offset: Int64)
    /// Its file could not be opened, or must not be used.
    case notOpened
    /// The transfer counts as running, under this number of its attempts.
    case begun(number: Int)
    /// What was to be committed is in the store.
    case committed
    /// The token that was asked for.
    case authorized(GrantedToken)
    /// There is no token.
    case notAuthorized(TransferFailure)
    /// Digests of blocks of a span, the first of which begins at `offset`.
    case digested([UInt8], offset: Int64, span: Int)
    /// A span could not be hashed.
    case notDigested(TransferFailure, span: Int)
    /// Bytes of the file that the request of a lane has got to.
    case moved(lane: Int, reached: Int64)
    /// The engine is done with the request of a lane.
    case ended(lane: Int, AttemptResult, reached: Int64)
    /// The engine has let go of the request of a lane, which was broken off.
    case released(lane: Int)
    /// The transfer goes on without this attempt: it was paused or cancelled, has expired, or its host is out of reach.
    case breakOff
    /// The transfer has taken the result, and what has arrived is to be checked, synced and named.
    case save
    /// The transfer has taken the result, and nothing is left to do.
    case dismiss
    /// What had arrived has its name, or cannot have it.
    case saved
}
