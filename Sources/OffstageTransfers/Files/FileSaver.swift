// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import Synchronization

/// Makes downloaded files durable and gives them their names: many at a time, so that they share the disk's syncs.
package final class FileSaver: Sendable {
    /// A whole partial file that becomes its target.
    package struct Job: Sendable {
        package var fileDescriptor: Int32
        package var partialPath: String
        package var target: TransferSpec.DownloadTarget

        package init(fileDescriptor: Int32, partialPath: String, target: TransferSpec.DownloadTarget) {
            self.fileDescriptor = fileDescriptor
            self.partialPath = partialPath
            self.target = target
        }
    }

    private typealias Pending = (job: Job, done: @Sendable (Result<Int64, TransferFailure>) -> Void)

    private struct Line: Sendable {
        var jobs: [Pending] = []
        var isDraining = false
    }

    /// Files above this are hashed and synced apart, so that they do not hold up the small ones. Bytes.
    private static let largeSize: Int64 = 8 << 20

    private let line = Mutex(Line())
    private let workers: WorkerPool
    private let syncer = WorkerPool(threads: 1)

    package init(workers: WorkerPool) {
        self.workers = workers
    }

    /// Finishes what was submitted.
    package func shutDown() { syncer.shutDown() }

    /// Checks, syncs and renames one file, and closes its descriptor. Returns its length in bytes.
    package func save(_ job: Job) async -> Result<Int64, TransferFailure> {
        var status = stat()
        let size = fstat(job.fileDescriptor, &status) == 0 ? Int64(status.st_size) : 0
        if job.target.checksum != nil || size > Self.largeSize {
            if let failure = await workers.run({ Self.check(job) }) {
                close(job.fileDescriptor)
                return .failure(failure)
            }
        }
        return await withCheckedContinuation { continuation in
            let mustDrain = line.withLock { line in
                line.jobs.append((job, { continuation.resume(returning: $0) }))
                defer { line.isDraining = true }
                return !line.isDraining
            }
            if mustDrain { syncer.submit { self.drain() } }
        }
    }

    /// After a crash: goes on with a save whose commit was made, wherever it was interrupted.
    package func recover(
        partialPath: String,
        target: TransferSpec.DownloadTarget,
        file: FileIdentity?
    ) async -> Result<Int64, TransferFailure> {
        let descriptor = await workers.run { open(partialPath, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
        if descriptor >= 0 {
            return await save(Job(fileDescriptor: descriptor, partialPath: partialPath, target: target))
        }
        return await workers.run {
            // The partial file is gone: either it was renamed just before the crash, or somebody deleted it.
            var status = stat()
            if let file, lstat(target.path, &status) == 0, FileIdentity(status).isSameFile(as: file) {
                Self.syncDirectory(of: target.path)
                return .success(Int64(status.st_size))
            }
            return .failure(.init(.connectionLost, "what had arrived of \(target.path.redactedControls) was deleted"))
        }
    }

    private static func check(_ job: Job) -> TransferFailure? {
        if let checksum = job.target.checksum {
            guard let found = try? FileHasher.sha256(of: job.fileDescriptor) else {
                return .init(.internalError, "\(job.target.path.redactedControls) could not be read back")
            }
            if found != checksum.sha256 {
                return .init(
                    .checksumMismatch,
                    "\(job.target.path.redactedControls) has SHA-256 \(found), not \(checksum.sha256)"
                )
            }
        }
        return fsync(job.fileDescriptor) == 0 ? nil : AttemptFiles.targetFailure(errno, job.target.path)
    }

    private func drain() {
        while true {
            let batch = line.withLock { line in
                defer { line.jobs = [] }
                if line.jobs.isEmpty { line.isDraining = false }
                return line.jobs
            }
            if batch.isEmpty { return }
            Self.save(batch)
        }
    }

    private static func save(_ batch: [Pending]) {
        // All files' pages are on their way before the first sync waits: it then commits the metadata of all.
        for pending in batch { _ = offstage_start_writeback(pending.job.fileDescriptor) }
        var directories: Set<String> = []
        var results: [Result<Int64, TransferFailure>] = []
        for (job, _) in batch {
            let result = syncAndRename(job)
            if case .success = result { directories.insert(directory(of: job.target.path)) }
            close(job.fileDescriptor)
            results.append(result)
        }
        for directory in directories { syncDirectory(at: directory) }
        for (pending, result) in zip(batch, results) { pending.done(result) }
    }

    private static func syncAndRename(_ job: Job) -> Result<Int64, TransferFailure> {
        var status = stat()
        guard fsync(job.fileDescriptor) == 0, fstat(job.fileDescriptor, &status) == 0 else {
            return .failure(AttemptFiles.targetFailure(errno, job.target.path))
        }
        let isNamed =
            job.target.overwrites
            ? rename(job.partialPath, job.target.path)
            : offstage_rename_without_replacing(job.partialPath, job.target.path)
        if isNamed != 0 {
            // A file system without RENAME_NOREPLACE (NFS): look first, then rename.
            guard errno == EINVAL, !job.target.overwrites else {
                return .failure(AttemptFiles.targetFailure(errno, job.target.path))
            }
            var existing = stat()
            if lstat(job.target.path, &existing) == 0 {
                return .failure(AttemptFiles.targetFailure(EEXIST, job.target.path))
            }
            guard rename(job.partialPath, job.target.path) == 0 else {
                return .failure(AttemptFiles.targetFailure(errno, job.target.path))
            }
        }
        return .success(Int64(status.st_size))
    }

    private static func directory(of path: String) -> String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func syncDirectory(of path: String) { syncDirectory(at: directory(of: path)) }

    private static func syncDirectory(at path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
