// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Limits that end an attempt with a server that never finishes.
struct ServerPatience: Sendable, Equatable {
    /// Consecutive answers that stored nothing, or next to nothing.
    private var setbacks = 0
    /// How often in this attempt the server lost what it had acknowledged.
    private var losses = 0
    /// Bytes of the file in the last request that had any.
    private var sent: Int64 = 0

    /// The setbacks that a chunk counts for if it arrived but was not accepted.
    static let costOfSendingAgain = 3
    private static let mostSetbacks = 8
    private static let mostLosses = 3
    /// Bytes that are progress, however many were sent for them.
    private static let leastProgress: Int64 = 65_536
    /// Fewer bytes are progress if they are this part of what was sent.
    private static let leastShare: Int64 = 4

    /// A request with so many bytes of the file is about to be sent.
    mutating func sends(_ bytes: Int64) { sent = bytes }

    /// Whether storing so many bytes of what was sent last is progress. A server that stores a single byte of each
    /// request would otherwise get the whole file as often as it has bytes.
    func isProgress(_ stored: Int64) -> Bool {
        // checked: divided by a constant
        stored > 0 && (stored >= Self.leastProgress || stored >= sent / Self.leastShare)
    }

    /// The server has stored so many bytes more: if that is progress, the setbacks before it no longer count.
    mutating func stored(_ bytes: Int64) { if isProgress(bytes) { setbacks = 0 } }

    /// An answer stored nothing, or next to nothing.
    ///
    /// - Returns: whether there have been too many.
    mutating func setBack(cost: Int = 1) -> Bool {
        setbacks = setbacks.addingClamped(cost)
        return setbacks > Self.mostSetbacks
    }

    /// The server has lost bytes that it had. Later progress does not reset this count.
    ///
    /// - Returns: whether there have been too many.
    mutating func lost() -> Bool {
        losses += 1
        return losses > Self.mostLosses
    }
}
