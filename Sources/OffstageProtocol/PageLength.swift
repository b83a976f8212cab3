// SPDX-License-Identifier: Apache-2.0

/// The number of rows of a list in one answer: pages are limited in bytes as well as in rows.
package enum PageLength {
    /// The most bytes for the rows of a page: more might not fit a frame.
    package static let most = 2 << 20
    /// The longest answer that fits a frame.
    package static let longestAnswer = WireFrame.maximumLength - 512

    /// The number of rows with these lengths that fit: at least one, so that every page makes progress.
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

    /// Encodes a page, with fewer rows until it fits a frame: JSON may make a text six times as long.
    ///
    /// - Parameters:
    ///   - count: the number of rows that probably fit.
    ///   - reply: the reply with that many rows.
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
