// SPDX-License-Identifier: Apache-2.0

/// When the write-ahead log is emptied after a deletion: as soon as there is nothing to write, or after a number of
/// batches.
struct LogWipe {
    private var batches: Int?

    /// Seconds without a request after which the log is emptied.
    private static let quietTime = 1
    /// The longest delay, in batches: emptying the log costs a sync of the file.
    private static let longestDelay = 200

    /// Seconds that the writer may wait for its next request; nil for no limit.
    var patience: Int? { batches == nil ? nil : Self.quietTime }

    mutating func somethingWasDeleted() {
        if batches == nil { batches = 0 }
    }

    /// Whether to empty the log now. Called once for each batch, and when no request came in time.
    mutating func isDue(isIdle: Bool) -> Bool {
        guard let count = batches else { return false }
        batches = min(count + 1, Self.longestDelay)
        return isIdle || count + 1 >= Self.longestDelay
    }

    /// - Parameter isWhole: false if the log must be emptied once more.
    mutating func done(isWhole: Bool) { batches = isWhole ? nil : 0 }
}
