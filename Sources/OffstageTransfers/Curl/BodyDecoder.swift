// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Decodes a body while it arrives, in bounded memory, and knows whether it is whole.
///
/// libcurl does neither: it takes a body that breaks off for a whole one, and keeps up to 64 MiB of what it has decoded
/// while a transfer pauses.
package final class BodyDecoder {
    /// Why a body cannot be decoded.
    package enum Problem: Error, Equatable {
        /// It is not what its coding says.
        case damaged
        case noMemory
        /// Another code of zlib's.
        case library(Int32)
    }

    /// What became of bytes.
    package enum Outcome: Sendable {
        case taken
        /// They are to be handed in once more, later.
        case paused
        /// They are more work than was allowed for one call, and are to be handed in once more.
        case exhausted
        /// They are not wanted.
        case stopped
    }

    /// How many codings a body may have, as in libcurl.
    package static let mostCodings = 5

    /// The first one reads what the server has sent.
    private let stages: [InflateStage]
    /// How many bytes have been decoded of those that are handed in once more.
    private var consumed = 0
    /// How many bytes from the server have been decoded.
    package private(set) var received: Int64 = 0
    /// How many bytes the last call has read, in all codings.
    package private(set) var work = 0

    /// - Parameter codings: in the order in which the server has applied them.
    /// - Throws: `noMemory` or `library`.
    package init(_ codings: [ContentCoding]) throws(Problem) {
        var stages: [InflateStage] = []
        for coding in codings.reversed() { stages.append(try InflateStage(coding)) }
        self.stages = stages
    }

    /// Whether a byte of the body has come.
    package var hasBegun: Bool { received > 0 }

    /// Whether everything that was begun has come to its end.
    package var isWhole: Bool { stages.allSatisfy(\.isWhole) }

    /// Decodes bytes from the server.
    ///
    /// - Parameters:
    ///   - bytes: after a pause, the same ones again, perhaps with further ones behind them.
    ///   - limit: about how many bytes may be read and made at most, in all codings: codings in one another could make
    ///     gigabytes of a few bytes.
    ///   - write: takes a piece of the decoded body. If it pauses, it gets the same piece once more.
    /// - Returns: `taken` if all of the bytes have been decoded and written.
    /// - Throws: if the rest cannot be decoded.
    package func decode(
        _ bytes: UnsafeRawBufferPointer,
        limit: Int,
        to write: (UnsafeRawBufferPointer) -> Outcome
    ) throws(Problem) -> Outcome {
        var used = min(consumed, bytes.count)
        work = 0
        while true {
            if let last = stages.last, let piece = last.output {
                let outcome = write(piece)
                guard case .taken = outcome else {
                    consumed = max(consumed, used)
                    return outcome
                }
                work = work.addingClamped(piece.count)
                last.drop(piece.count)
            }
            guard work < limit else {
                consumed = max(consumed, used)
                return .exhausted
            }
            // checked: not more than the bytes have
            guard let count = try advance(UnsafeRawBufferPointer(rebasing: bytes[used...])) else { break }
            used += count
            received = received.addingClamped(Int64(clamping: count))
        }
        // libcurl has not been seen to hand in fewer bytes than before a pause.
        consumed = max(0, consumed.subtractingClamped(bytes.count))
        return .taken
    }

    /// Lets the last coding that can do something do it.
    ///
    /// - Returns: how many bytes of the input were used; nil if there is nothing to do.
    private func advance(_ input: UnsafeRawBufferPointer) throws(Problem) -> Int? {
        for index in stages.indices.reversed() {
            let stage = stages[index]  // checked: one of its indices
            guard stage.output == nil else { continue }
            let before = index == 0 ? nil : stages[index - 1]  // checked: above the first
            let source = before.map { $0.output ?? UnsafeRawBufferPointer(start: nil, count: 0) } ?? input
            let used = try stage.run(source)
            work = work.addingClamped(used)
            before?.drop(used)
            if used > 0 || stage.output != nil { return before == nil ? used : 0 }
        }
        return nil
    }
}
