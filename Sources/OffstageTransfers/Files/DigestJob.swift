// SPDX-License-Identifier: Apache-2.0
import CCrypto
import Glibc
package import OffstageCore
package import OffstageRuntime
import Synchronization

/// Computes one digest of a range of a file, with one worker, which lets other work run in between.
package final class DigestJob: SourceHashing {
    /// Called by the worker, once.
    package typealias Report = @Sendable (Result<[UInt8], FileHasher.HashError>) -> Void

    private let digest: SourceDigest
    private let descriptor: Int32
    private let report: Report
    private let stopFlag = StopFlag()
    private let isRunning = Mutex(false)

    /// - Parameters:
    ///   - descriptor: the file, open for reading; closed when the worker has finished.
    ///   - digest: the digest to compute.
    ///   - report: called on the worker's thread.
    package init(of descriptor: Int32, _ digest: SourceDigest, report: @escaping Report) {
        self.descriptor = descriptor
        self.digest = digest
        self.report = report
    }

    deinit { close(descriptor) }

    package func run(on pool: WorkerPool, workers count: Int) {
        let isFirst = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
        guard isFirst else { return }
        guard let state = DigestState(digest.algorithm) else { return report(.failure(.libraryFailed)) }
        submit(to: pool, state, from: digest.range.lowerBound)
    }

    package func stop() { stopFlag.set() }

    private func submit(to pool: WorkerPool, _ state: DigestState, from position: Int64) {
        pool.submit { [self] in
            // checked: positions in the file, whose range is not empty here
            let end = min(digest.range.upperBound, position + HashingJob.turnLength)
            if let error = state.update(descriptor, position..<end, isCancelled: { stopFlag.isSet }) {
                return report(.failure(error))
            }
            guard end == digest.range.upperBound else { return submit(to: pool, state, from: end) }
            report(state.digest())
        }
    }
}

/// A digest being computed.
///
/// `@unchecked Sendable`: one worker uses it at a time.
private final class DigestState: @unchecked Sendable {
    private let context: OpaquePointer
    /// Used for CRC32C, which libcrypto does not have; nil for libcrypto's digests.
    private var checksum: CRC32C?

    init?(_ algorithm: SourceDigest.Algorithm) {
        guard let context = EVP_MD_CTX_new() else { return nil }
        self.context = context
        let kind: OpaquePointer?
        switch algorithm {
        case .md5: kind = EVP_md5()
        case .sha1: kind = EVP_sha1()
        case .sha256: kind = EVP_sha256()
        case .crc32c:
            checksum = CRC32C()
            return
        }
        guard EVP_DigestInit_ex(context, kind, nil) == 1 else { return nil }
    }

    deinit { EVP_MD_CTX_free(context) }

    /// - Returns: why the range could not be read; nil on success.
    func update(_ descriptor: Int32, _ range: Range<Int64>, isCancelled: () -> Bool) -> FileHasher.HashError? {
        let size = FileHasher.bufferSize
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        defer { buffer.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            if isCancelled() { return .cancelled }
            // checked: both are positions in the file, and the bytes read are between them
            let count = pread(descriptor, buffer, min(size, Int(range.upperBound - position)), off_t(position))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? .endsEarly : .unreadable(errno) }
            if checksum != nil {
                checksum?.update(UnsafeRawBufferPointer(start: buffer, count: count))
            } else if EVP_DigestUpdate(context, buffer, count) != 1 {
                return .libraryFailed
            }
            position += Int64(count)
        }
        return nil
    }

    func digest() -> Result<[UInt8], FileHasher.HashError> {
        if let checksum { return .success(checksum.bytes) }
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_DigestFinal_ex(context, &bytes, &count) == 1 else { return .failure(.libraryFailed) }
        return .success(Array(bytes.prefix(Int(count))))  // checked: at most EVP_MAX_MD_SIZE
    }
}
