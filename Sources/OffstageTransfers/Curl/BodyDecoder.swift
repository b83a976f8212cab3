// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Decodes a body as it arrives, in bounded memory, and knows whether it is whole.
///
/// libcurl does neither: it treats a truncated body as whole, and buffers up to 64 MiB of decoded data while a transfer
/// pauses.
package final class BodyDecoder {
    /// Why a body cannot be decoded.
    package enum Problem: Error, Equatable {
        /// It does not conform to its coding.
        case damaged
        case noMemory
        /// Another zlib error code.
        case library(Int32)
    }

    /// The outcome of decoding bytes.
    package enum Outcome: Sendable {
        case taken
        /// The caller must pass them again later.
        case paused
        /// They are more work than one call allows, and the caller must pass them again.
        case exhausted
        /// They are not wanted.
        case stopped
    }

    /// The maximum number of codings of a body, as in libcurl.
    package static let mostCodings = 5

    /// The first one reads what the server has sent.
    private let stages: [InflateStage]
    /// How many of the bytes that are passed again have already been decoded.
    private var consumed = 0
    /// How many bytes from the server have been decoded.
    package private(set) var received: Int64 = 0
    /// How many bytes the last call read, in all codings.
    package private(set) var work = 0

    /// - Parameter codings: the codings, in the order in which the server applied them.
    /// - Throws: `noMemory` or `library`.
    package init(_ codings: [ContentCoding]) throws(Problem) {
        var stages: [InflateStage] = []
        for coding in codings.reversed() { stages.append(try InflateStage(coding)) }
        self.stages = stages
    }

    /// Whether a byte of the body has arrived.
    package var hasBegun: Bool { received > 0 }

    /// Whether every stream that was begun is complete.
    package var isWhole: Bool { stages.allSatisfy(\.isWhole) }

    /// Decodes bytes from the server.
    ///
    /// - Parameters:
    ///   - bytes: the received bytes; after a pause, the same ones again, perhaps followed by more.
    ///   - limit: the approximate maximum of bytes to read and produce, in all codings: nested codings could expand a
    ///     few bytes to gigabytes.
    ///   - write: receives a piece of the decoded body. If it pauses, it gets the same piece again.
    /// - Returns: `taken` if all of the bytes have been decoded and written.
    /// - Throws: `Problem` if the remaining bytes cannot be decoded.
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
            // checked: at most the number of bytes
            guard let count = try advance(UnsafeRawBufferPointer(rebasing: bytes[used...])) else { break }
            used += count
            received = received.addingClamped(Int64(clamping: count))
        }
        // libcurl has not been observed to pass fewer bytes than before a pause.
        consumed = max(0, consumed.subtractingClamped(bytes.count))
        return .taken
    }

    /// Advances the last coding that can make progress.
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
