// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageRuntime
import OffstageTestSupport
import OffstageTransfers
import Testing

struct HashingJobTests {
    private static let block: Int64 = 4 << 20
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("file")
    }

    /// Creates a sparse file with distinct blocks: only their first bytes are on the disk.
    private func makeFile(blocks: Int, rest: Int64 = 0) throws -> Int64 {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let size = Int64(blocks) * Self.block + rest
        try #require(ftruncate(file, off_t(size)) == 0)
        for index in 0..<blocks {
            var number = UInt32(index)
            try #require(pwrite(file, &number, 4, off_t(Int64(index) * Self.block)) == 4)
        }
        return size
    }

    private func openFile() throws -> Int32 {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        return file
    }

    /// The workers' reports.
    private final class Reports: Sendable {
        let pieces = Monitor<[(offset: Int64, result: Result<[UInt8], FileHasher.HashError>)]>([])

        var count: Int { pieces.withLock { $0.count } }
        var hasFailed: Bool {
            pieces.withLock { $0.contains { if case .failure = $0.result { true } else { false } } }
        }

        /// The digests in file order.
        func digests() throws -> [UInt8] {
            try pieces.withLock { $0 }.sorted { $0.offset < $1.offset }.flatMap { try $0.result.get() }
        }
    }

    private func job(in range: Range<Int64>, _ reports: Reports) throws -> HashingJob {
        HashingJob(of: try openFile(), in: range) { result, offset in
            reports.pieces.withLock { $0.append((offset, result)) }
        }
    }

    @Test(arguments: [1, 2, 3])
    func `each block is hashed once, however many workers there are`(workers: Int) throws {
        let size = try makeFile(blocks: 25, rest: 5)
        for range in [0..<size, 8 << 20..<size - 5, 5..<Self.block, size - 5..<size] {
            let reports = Reports()
            let pool = WorkerPool(threads: 3)
            let job = try job(in: range, reports)
            job.run(on: pool, workers: workers)
            // No further workers join the existing ones.
            job.run(on: pool, workers: workers)
            pool.shutDown()
            let file = try openFile()
            defer { close(file) }
            #expect(try reports.digests() == FileHasher.blockDigests(of: file, in: range).get())
            let pieces = (Int64(range.count) + HashingJob.pieceLength - 1) / HashingJob.pieceLength
            #expect(reports.count == Int(pieces))
        }
    }

    @Test func `other work has its turn`() throws {
        let size = try makeFile(blocks: 30)
        let reports = Reports()
        let pool = WorkerPool(threads: 1)
        let gate = Monitor(false)
        pool.submit { _ = gate.wait(TimeLimit(seconds: 60)) { $0 ? true : nil } }
        try job(in: 0..<size, reports).run(on: pool, workers: 2)
        let seen = Monitor(-1)
        pool.submit { seen.withLock { $0 = reports.count } }
        gate.withLock { $0 = true }
        pool.shutDown()
        // The other work comes after two workers' first turns.
        #expect(seen.withLock { $0 } == Int(2 * HashingJob.turnLength / HashingJob.pieceLength))
        #expect(reports.count == 15)
    }

    @Test func `a job that is stopped ends where it is, and closes the file`() throws {
        let size = try makeFile(blocks: 30)
        let reports = Reports()
        let pool = WorkerPool(threads: 1)
        let running = Monitor<HashingJob?>(nil)
        var job: HashingJob? = HashingJob(of: try openFile(), in: 0..<size) { result, offset in
            reports.pieces.withLock { $0.append((offset, result)) }
            if offset > 0 { running.withLock { $0?.stop() } }
        }
        running.withLock { $0 = job }
        job?.run(on: pool, workers: 1)
        job = nil
        pool.shutDown()
        running.withLock { $0 = nil }
        #expect(reports.count == 2)
        #expect(!reports.hasFailed)
        #expect(!OpenFiles.paths().contains(path))
    }

    @Test func `a file that is shorter than it was is told`() throws {
        let size = try makeFile(blocks: 1)
        let reports = Reports()
        let pool = WorkerPool(threads: 1)
        try job(in: 0..<size + 1, reports).run(on: pool, workers: 1)
        pool.shutDown()
        #expect(reports.hasFailed)
    }
}
