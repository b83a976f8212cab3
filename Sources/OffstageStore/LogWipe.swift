// SPDX-License-Identifier: Apache-2.0

/// When the write-ahead log is emptied after a deletion: as soon as there is nothing else to write, and otherwise after
/// so many batches.
struct LogWipe {
    private var batches: Int?

    /// Seconds without a request after which it is emptied.
    private static let quietTime = 1
    /// The most batches of delay: emptying the log costs a sync of the file.
    private static let longestDelay = 200

    /// Seconds that the writer may wait for its next request; nil for no limit.
    var patience: Int? { batches == nil ? nil : Self.quietTime }

    mutating func somethingWasDeleted() {
        if batches == nil { batches = 0 }
    }

    /// Whether to empty it now. Called once for each batch, and if none came in time.
    mutating func isDue(isIdle: Bool) -> Bool {
        guard let count = batches else { return false }
        batches = min(count + 1, Self.longestDelay)
        return isIdle || count + 1 >= Self.longestDelay
    }

    /// - Parameter isWhole: false if it has to be emptied once more.
    mutating func done(isWhole: Bool) { batches = isWhole ? nil : 0 }
}
