// SPDX-License-Identifier: Apache-2.0

/// When the write-ahead log is emptied after something was deleted: as soon as there is nothing else to write, and after
/// so many batches even if there is.
struct LogWipe {
    private var batches: Int?

    /// Seconds without a request after which it is done.
    private static let quietTime = 1
    /// Batches that it is put off for: an emptied log costs a sync of the file.
    private static let longestDelay = 200

    /// For how many seconds the writer may wait for its next request; nil for ever.
    var patience: Int? { batches == nil ? nil : Self.quietTime }

    mutating func somethingWasDeleted() {
        if batches == nil { batches = 0 }
    }

    /// Whether it is to be done now. Called once for each batch, and when there was none in time.
    mutating func isDue(isIdle: Bool) -> Bool {
        guard let count = batches else { return false }
        batches = min(count + 1, Self.longestDelay)
        return isIdle || count + 1 >= Self.longestDelay
    }

    /// - Parameter isWhole: false when it has to be done once more.
    mutating func done(isWhole: Bool) { batches = isWhole ? nil : 0 }
}
