// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// An attempt as it is carried out: the value that decides, and what it uses of the machine.
struct AttemptRun {
    var attempt = Attempt()
    /// Tells it from another one of the same transfer, before it has its number.
    let opening: UInt64
    /// The file of the attempt, until it is closed or handed over to be saved.
    var file: AttemptFiles.Opened?
    /// What hashes the attempt's span, by its number.
    var hashing: (span: Int, job: HashingJob)?
    var meter = RateMeter()
    /// The byte up to which a sync was asked for.
    var syncAskedAt: Int64 = 0
    var usesLargeBuffers = false

    init(opening: UInt64) { self.opening = opening }
}
