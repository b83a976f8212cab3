// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A running attempt: the value that decides, and the machine's resources it uses.
struct AttemptRun {
    var attempt = Attempt()
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

    init(opening: UInt64) { self.opening = opening }
}
