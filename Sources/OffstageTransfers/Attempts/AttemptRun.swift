// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// How much of an attempt has been counted in the metrics.
struct CountedAttempt {
    /// Bytes transferred over the network.
    var bytes: Int64 = 0
    var hasFirstByte = false
    var hasEnded = false
}

/// A running attempt: the value that decides, and the machine's resources it uses.
struct AttemptRun {
    var attempt: Attempt
    /// Distinguishes it from other attempts of the same transfer before it has its number.
    let opening: UInt64
    /// The attempt's file, until it is closed or handed over to be saved.
    var file: AttemptFiles.Opened?
    /// The job that hashes the attempt's current span, and the span's number.
    var hashing: (span: Int, job: any SourceHashing)?
    var meter = RateMeter()
    /// The byte up to which a sync was requested.
    var syncAskedAt: Int64 = 0
    /// The uptime at which the bytes held by a download in pieces were last stored.
    var piecesStoredAt: Double = 0
    var usesLargeBuffers = false
    /// When the transfer could begin, as the queue sees it, and when the attempt began; nil before that.
    var begun: (waited: Double, at: Moment)?
    /// How much of the attempt has been counted in the metrics.
    var counted = CountedAttempt()

    init(opening: UInt64, hasKeeper: Bool = false) {
        attempt = Attempt(hasKeeper: hasKeeper)
        self.opening = opening
    }
}
