// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageRuntime
import Synchronization

/// The hashing of a range of a file in blocks: by one worker, or by several where somebody waits for it. Each takes the
/// next piece that nobody has, and tells its digests as soon as they are there.
///
/// Whoever waits for a digest waits for that piece alone, and the workers wait for nobody.
package final class HashingJob: Sendable {
    /// Is called by the workers with the digests of a piece, and where it begins.
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

    /// Bytes whose digests are told at once.
    package static let pieceLength: Int64 = 2 * ContentHash.blockSize
    /// Bytes that a worker hashes before other work has its turn.
    package static let turnLength: Int64 = 32 << 20

    /// - Parameters:
    ///   - descriptor: the file, open for reading; closed when the last worker is done.
    ///   - range: blocks are counted from where it begins.
    ///   - report: is called on the workers' threads.
    package init(of descriptor: Int32, in range: Range<Int64>, report: @escaping Report) {
        self.descriptor = descriptor
        self.range = range
        self.report = report
        state = Mutex(State(next: range.lowerBound))
    }

    deinit { close(descriptor) }

    /// Lets so many workers see to it, if there are fewer.
    package func run(on pool: WorkerPool, workers count: Int) {
        let missing = state.withLock { state in
            defer { state.workers = max(state.workers, count) }
            return max(0, count - state.workers)
        }
        for _ in 0..<missing { submit(to: pool) }
    }

    /// Lets the workers come to an end; what one is at is told as broken off.
    package func stop() { stopFlag.set() }

    private func submit(to pool: WorkerPool) {
        pool.submit { [self] in
            if hashSome() { submit(to: pool) }
        }
    }

    /// - Returns: whether there is more to do.
    private func hashSome() -> Bool {
        var left = Self.turnLength
        while let piece = takePiece() {
            let digests = FileHasher.blockDigests(of: descriptor, in: piece) { stopFlag.isSet }
            report(digests, piece.lowerBound)
            left -= Int64(piece.count)
            if left <= 0 { return true }
        }
        return false
    }

    private func takePiece() -> Range<Int64>? {
        guard !stopFlag.isSet else { return nil }
        return state.withLock { state in
            guard state.next < range.upperBound else { return nil }
            let piece = state.next..<min(state.next + Self.pieceLength, range.upperBound)
            state.next = piece.upperBound
            return piece
        }
    }
}
