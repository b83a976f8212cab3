// SPDX-License-Identifier: Apache-2.0

/// Limits that end an attempt with a server that never finishes.
struct ServerPatience: Sendable, Equatable {
    /// Consecutive answers that stored nothing.
    private var setbacks = 0
    /// How often in this attempt the server lost what it had acknowledged.
    private var losses = 0

    /// The setbacks that a chunk counts for if it arrived but was not accepted.
    static let costOfSendingAgain = 3
    private static let mostSetbacks = 8
    private static let mostLosses = 3

    /// The server has stored more.
    mutating func progressed() { setbacks = 0 }

    /// An answer stored nothing.
    ///
    /// - Returns: whether there have been too many.
    mutating func setBack(cost: Int = 1) -> Bool {
        setbacks += cost
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
