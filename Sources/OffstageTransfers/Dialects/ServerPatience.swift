// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Limits that end an attempt with a server that never finishes.
struct ServerPatience: Sendable, Equatable {
    /// Consecutive answers that stored nothing or almost nothing.
    private var setbacks = 0
    /// How often in this attempt the server lost acknowledged bytes.
    private var losses = 0
    /// The number of the file's bytes in the last request that contained any.
    private var sent: Int64 = 0

    /// The setbacks that a chunk counts for if it arrived but was not accepted.
    static let costOfSendingAgain = 3
    private static let mostSetbacks = 8
    private static let mostLosses = 3
    /// This many stored bytes are progress, however many were sent.
    private static let leastProgress: Int64 = 65_536
    /// Fewer stored bytes are progress if they are at least one in this many of the sent bytes.
    private static let leastShare: Int64 = 4

    /// Records that a request with this many bytes of the file is about to be sent.
    mutating func sends(_ bytes: Int64) { sent = bytes }

    /// Whether storing this many of the bytes sent last is progress. Otherwise a server that stores a single byte of
    /// each request would get the whole file as often as it has bytes.
    func isProgress(_ stored: Int64) -> Bool {
        // checked: divided by a constant
        stored > 0 && (stored >= Self.leastProgress || stored >= sent / Self.leastShare)
    }

    /// Records that the server has stored this many more bytes: if that is progress, earlier setbacks no longer count.
    mutating func stored(_ bytes: Int64) { if isProgress(bytes) { setbacks = 0 } }

    /// Records an answer that stored nothing or almost nothing.
    ///
    /// - Returns: whether there have been too many.
    mutating func setBack(cost: Int = 1) -> Bool {
        setbacks = setbacks.addingClamped(cost)
        return setbacks > Self.mostSetbacks
    }

    /// Records that the server has lost acknowledged bytes. Later progress does not reset this count.
    ///
    /// - Returns: whether there have been too many.
    mutating func lost() -> Bool {
        losses += 1
        return losses > Self.mostLosses
    }
}
