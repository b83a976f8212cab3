// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageRuntime
import Synchronization

/// Hashes a range of a file in blocks: with one worker, or with several if a digest is awaited. Each worker takes the
/// next free piece and reports its digests as soon as they are computed.
///
/// A caller waits only for the piece it needs, and workers never wait for each other.
package final class HashingJob: SourceHashing {
    /// Called by the workers with the digests of a piece and the offset where it begins.
    package typealias Report = @Sendable (Result<[UInt8], FileHasher.HashError>, _ offset: Int64) -> Void

    private struct State {
        /// Where the next piece begins.
        var next: Int64
        var workers = 0
    }

    private let range: Range<Int64>
    private let descriptor: Int32
    private let report: Report
    private let stopFlag = StopFlag()
    private let state: Mutex<State>

    /// How many bytes' digests are reported together.
    package static let pieceLength: Int64 = 2 * ContentHash.blockSize
    /// How many bytes a worker hashes before other work may run.
    package static let turnLength: Int64 = 32 << 20

    /// - Parameters:
    ///   - descriptor: the file, open for reading; closed when the last worker has finished.
    ///   - range: the range to hash; blocks are counted from its start.
    ///   - report: called on the workers' threads.
    package init(of descriptor: Int32, in range: Range<Int64>, report: @escaping Report) {
        self.descriptor = descriptor
        self.range = range
        self.report = report
        state = Mutex(State(next: range.lowerBound))
    }

    deinit { close(descriptor) }

    /// Raises the number of workers to `count`, if there are fewer.
    package func run(on pool: WorkerPool, workers count: Int) {
        let missing = state.withLock { state in
            defer { state.workers = max(state.workers, count) }
            return max(0, count - state.workers)
        }
        for _ in 0..<missing { submit(to: pool) }
    }

    /// Ends the workers; the pieces in progress are reported as cancelled.
    package func stop() { stopFlag.set() }

    private func submit(to pool: WorkerPool) {
        pool.submit { [self] in
            if hashSome() { submit(to: pool) }
        }
    }

    /// - Returns: whether there is more to hash.
    private func hashSome() -> Bool {
        var left = Self.turnLength
        while let piece = claimPiece() {
            let digests = FileHasher.blockDigests(of: descriptor, in: piece) { stopFlag.isSet }
            report(digests, piece.lowerBound)
            left -= Int64(piece.count)
            if left <= 0 { return true }
        }
        return false
    }

    private func claimPiece() -> Range<Int64>? {
        guard !stopFlag.isSet else { return nil }
        return state.withLock { state in
            guard state.next < range.upperBound else { return nil }
            let piece = state.next..<min(state.next + Self.pieceLength, range.upperBound)
            state.next = piece.upperBound
            return piece
        }
    }
}
