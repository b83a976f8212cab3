// SPDX-License-Identifier: Apache-2.0

/// How many rows of a list one answer has: pages end by their bytes as well as by their rows.
package enum PageLength {
    /// The most bytes for the rows of a page: more might not fit a frame.
    package static let most = 2 << 20
    /// The longest answer that fits a frame.
    package static let longestAnswer = WireFrame.maximumLength - 512

    /// The number of rows of these lengths that fit: at least one, so that every page makes progress.
    package static func fitting(_ lengths: some Sequence<Int>) -> Int {
        var total = 0
        var count = 0
        for length in lengths {
            total += length
            if total > most, count > 0 { break }
            count += 1
        }
        return count
    }

    /// Encodes a page with fewer rows as long as it does not fit a frame: what JSON makes of a text may be six times as
    /// long.
    ///
    /// - Parameters:
    ///   - count: the number of rows that probably fit.
    ///   - reply: the reply with so many rows.
    /// - Returns: the reply that fits, or one of a single row.
    /// - Throws: `EncodingError`.
    package static func encode<Reply: Codable & Sendable>(
        upTo count: Int,
        _ reply: (_ count: Int) -> Reply
    ) throws -> EncodedReply<Reply> {
        var count = count
        while true {
            let encoded = try EncodedReply(reply(count))
            if count <= 1 || encoded.payload.count <= longestAnswer { return encoded }
            count /= 2
        }
    }
}
