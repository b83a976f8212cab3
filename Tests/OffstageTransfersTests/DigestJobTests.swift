// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageRuntime
import OffstageTestSupport
import OffstageTransfers
import Testing

struct DigestJobTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("file")
        try TestFiles.write("abc", to: path)
    }

    private func openFile() throws -> Int32 {
        let file = open(path, O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        return file
    }

    /// Runs a job on one worker until it reports.
    private func result(_ digest: SourceDigest, stops: Bool = false) async throws -> Result<
        [UInt8], FileHasher.HashError
    > {
        let file = try openFile()
        let pool = WorkerPool(threads: 1)
        return await withCheckedContinuation { continuation in
            let job = DigestJob(of: file, digest) { continuation.resume(returning: $0) }
            if stops { job.stop() }
            job.run(on: pool, workers: 2)
            // More workers would not help.
            job.run(on: pool, workers: 3)
        }
    }

    /// Test vectors of FIPS 180-4 and RFC 1321.
    @Test(arguments: [
        (SourceDigest.Algorithm.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.crc32c, "364b3fb7"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.md5, "900150983cd24fb0d6963f7d28e17f72"),
    ]) func `digests are those of the standards`(algorithm: SourceDigest.Algorithm, expected: String) async throws {
        let bytes = try await result(SourceDigest(algorithm, of: 0..<3)).get()
        #expect(bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == expected)
    }

    @Test func `a part is hashed, over several turns, as that part alone`() async throws {
        let file = try openFile()
        defer { close(file) }
        // Longer than a turn of the pool, and sparse.
        let turn = HashingJob.turnLength
        try #require(ftruncate(file, off_t(3 * turn)) == 0)
        var mark: UInt8 = 7
        try #require(pwrite(file, &mark, 1, off_t(2 * turn)) == 1)
        let part = try await result(SourceDigest(.sha256, of: 5..<2 * turn + 1)).get()
        let zeros = try await result(SourceDigest(.sha256, of: 5..<2 * turn)).get()
        let shifted = try await result(SourceDigest(.sha256, of: 6..<2 * turn + 1)).get()
        #expect(part.count == 32 && part != zeros && part != shifted)
        #expect(try await result(SourceDigest(.sha256, of: 8..<2 * turn + 4)).get() != part)
        #expect(try await result(SourceDigest(.sha256, of: 5..<2 * turn + 1)).get() == part)
    }

    @Test func `a file that became shorter and a stop are told apart`() async throws {
        #expect(try await result(SourceDigest(.sha1, of: 0..<4)) == .failure(.endsEarly))
        #expect(try await result(SourceDigest(.sha1, of: 0..<3), stops: true) == .failure(.cancelled))
    }
}
