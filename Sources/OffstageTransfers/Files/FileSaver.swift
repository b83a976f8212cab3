// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import OffstageFiles
package import OffstageRuntime
import Synchronization

/// Makes downloaded files durable and renames them to their targets: many at a time, to share the disk's syncs.
package final class FileSaver: Sendable {
    /// A complete partial file that becomes its target.
    package struct Job: Sendable {
        package var fileDescriptor: Int32
        package var partialPath: String
        package var target: TransferSpec.DownloadTarget
        /// Whether its SHA-256 is wanted, in addition to any checksum of the target.
        package var wantsDigest: Bool
        /// The time of the last change at the source, in seconds since 1970; nil to keep the time it was written here.
        package var modifiedAt: Int?

        package init(
            fileDescriptor: Int32,
            partialPath: String,
            target: TransferSpec.DownloadTarget,
            wantsDigest: Bool = false,
            modifiedAt: Int? = nil
        ) {
            self.fileDescriptor = fileDescriptor
            self.partialPath = partialPath
            self.target = target
            self.wantsDigest = wantsDigest
            self.modifiedAt = modifiedAt
        }
    }

    /// A saved file, in its place.
    package struct Saved: Sendable, Equatable {
        /// The file's length in bytes.
        package var length: Int64
        /// Its SHA-256, if it was computed.
        package var digest: Checksum?

        package init(length: Int64, digest: Checksum? = nil) {
            self.length = length
            self.digest = digest
        }
    }

    private typealias Pending = (job: Job, done: @Sendable (Result<Int64, SaveFailure>) -> Void)

    private struct Line: Sendable {
        var jobs: [Pending] = []
        var isDraining = false
    }

    /// Files above this size in bytes are hashed and synced separately, so that they do not hold up small ones.
    private static let largeSize: Int64 = 8 << 20

    /// The most files that are saved together. Each requires a decision on the loop and a change in a commit: with
    /// hundreds at once, every other request would wait for all of them.
    private static let mostAtOnce = 64

    private let line = Mutex(Line())
    private let workers: WorkerPool
    private let syncer: WorkerPool
    private let sync: FileSync
    private let mayStall: Bool

    /// - Parameters:
    ///   - workers: hash and sync large files.
    ///   - sync: how to get data onto the disk.
    ///   - mayStall: whether even querying a file's length may take long, as on a network file system.
    package init(workers: WorkerPool, sync: FileSync = FileSync(), mayStall: Bool = false) {
        self.workers = workers
        self.sync = sync
        self.mayStall = mayStall
        // One thread: a sync that delays another would not be faster in parallel.
        syncer = WorkerPool(threads: 1, staying: 0, substitute: workers)
    }

    /// Finishes the submitted jobs.
    ///
    /// - Parameter seconds: how long to wait for them; nil for no limit.
    package func shutDown(within seconds: Double? = nil) { syncer.shutDown(within: seconds) }

    /// Checks, syncs and renames one file, and closes its descriptor.
    package func save(_ job: Job) async -> Result<Saved, SaveFailure> {
        var digest: Checksum?
        if job.target.checksum != nil || job.wantsDigest || mayStall || isLarge(job) {
            switch await workers.run({ [sync] in Self.check(job, sync) }) {
            case .success(let found): digest = found
            case .failure(let failure):
                await workers.run { _ = close(job.fileDescriptor) }
                return .failure(failure)
            }
        }
        return await put(job).map { Saved(length: $0, digest: digest) }
    }

    private func isLarge(_ job: Job) -> Bool {
        var status = stat()
        return fstat(job.fileDescriptor, &status) == 0 && Int64(clamping: status.st_size) > Self.largeSize
    }

    private func put(_ job: Job) async -> Result<Int64, SaveFailure> {
        await withCheckedContinuation { continuation in
            let mustDrain = line.withLock { line in
                line.jobs.append((job, { continuation.resume(returning: $0) }))
                defer { line.isDraining = true }
                return !line.isDraining
            }
            if mustDrain { syncer.submit { self.drain() } }
        }
    }

    /// Continues a committed save after a crash, wherever it was interrupted.
    ///
    /// - Parameters:
    ///   - partialPath: the path of the partial file, if it does not have its target's name yet.
    ///   - target: the download's target.
    ///   - file: the file that was written to.
    ///   - length: the number of bytes according to the server; nil if it did not state one.
    ///   - wantsDigest: as in `Job`.
    ///   - modifiedAt: as in `Job`.
    ///   - isTrusted: whether the partial file contains these bytes (`Transfer.holdsPartialFile`). A file that already
    ///     has its target's name was synced before the rename, and is complete in any case.
    /// - Returns: the saved file, or why there is none.
    package func recover(
        partialPath: String,
        target: TransferSpec.DownloadTarget,
        file: FileIdentity?,
        length: Int64?,
        wantsDigest: Bool = false,
        modifiedAt: Int? = nil,
        isTrusted: Bool
    ) async -> Result<Saved, SaveFailure> {
        let found = await workers.run { Self.find(partialPath, target, file) }
        switch found {
        case .success(let descriptor?):
            guard isTrusted else {
                await workers.run { _ = close(descriptor) }
                let name = target.path.redactedControls
                let lost = TransferFailure(.connectionLost, "the machine stopped before \(name) was safe on its disk")
                return .failure(SaveFailure(lost))
            }
            return await save(
                Job(
                    fileDescriptor: descriptor,
                    partialPath: partialPath,
                    target: target,
                    wantsDigest: wantsDigest,
                    modifiedAt: modifiedAt
                )
            )
        case .success(nil):
            // The partial file is gone: either it was renamed just before the crash, or it was deleted.
            let confirmed = await workers.run { Self.confirm(target, file, length, wantsDigest: wantsDigest) }
            return confirmed.mapError { SaveFailure($0) }
        case .failure(let failure): return .failure(SaveFailure(failure))
        }
    }

    /// - Returns: the partial file, open; nil if no file exists that only this user can have written.
    private static func find(
        _ path: String,
        _ target: TransferSpec.DownloadTarget,
        _ file: FileIdentity?
    ) -> Result<Int32?, TransferFailure> {
        switch PartialFile.openExisting(path, known: file) {
        case .ours(let descriptor, _): .success(descriptor)
        case .failed(let code) where FileTrouble(code) == .passing: .failure(FileTrouble.ofTarget(code, target.path))
        case .failed, .notOurs: .success(nil)
        }
    }

    /// Whether the target already is the file.
    ///
    /// An inode number alone proves little: if a power loss removes the partial file, the next new file may get the
    /// same number.
    private static func confirm(
        _ target: TransferSpec.DownloadTarget,
        _ file: FileIdentity?,
        _ length: Int64?,
        wantsDigest: Bool
    ) -> Result<Saved, TransferFailure> {
        var status = stat()
        guard let file, lstat(target.path, &status) == 0, FileIdentity(status).isSameFile(as: file),
            length.map({ $0 == Int64(clamping: status.st_size) }) ?? true,
            case let digest = wantsDigest || target.checksum != nil ? digest(of: target, status) : nil,
            target.checksum == nil || digest == target.checksum
        else {
            return .failure(.init(.connectionLost, "the partial file of \(target.path.redactedControls) was deleted"))
        }
        if let code = syncDirectory(of: target.path) { return .failure(unsynced(target.path, code)) }
        return .success(Saved(length: Int64(clamping: status.st_size), digest: digest))
    }

    /// The digest of the target; nil if it cannot be read.
    private static func digest(of target: TransferSpec.DownloadTarget, _ status: stat) -> Checksum? {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        let descriptor = open(target.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return try? Checksum(parsing: "sha256:" + FileHasher.sha256(of: descriptor))
    }

    /// - Returns: the file's SHA-256, if it is wanted.
    private static func check(_ job: Job, _ sync: FileSync) -> Result<Checksum?, SaveFailure> {
        var digest: Checksum?
        if job.target.checksum != nil || job.wantsDigest {
            let found: String
            do throws(FileHasher.HashError) { found = try FileHasher.sha256(of: job.fileDescriptor) } catch {
                return .failure(SaveFailure(unreadable(job.target.path, error)))
            }
            digest = try? Checksum(parsing: "sha256:" + found)
            if let checksum = job.target.checksum, found != checksum.sha256 {
                let name = job.target.path.redactedControls
                let words = "\(name) has SHA-256 \(found), not \(checksum.sha256)"
                return .failure(SaveFailure(TransferFailure(.checksumMismatch, words)))
            }
        }
        if let code = sync.run(job.fileDescriptor, .all) { return .failure(.ofSync(code, job.target.path)) }
        return .success(digest)
    }

    private static func unreadable(_ path: String, _ error: FileHasher.HashError) -> TransferFailure {
        if case .unreadable(let code) = error, FileTrouble(code) == .passing { return FileTrouble.ofTarget(code, path) }
        return .init(
            .targetNotWritable,
            "the data received for \(path.redactedControls) could not be read back (\(error.sentence))"
        )
    }

    private func drain() {
        while true {
            let batch = line.withLock { line in
                let batch = Array(line.jobs.prefix(Self.mostAtOnce))
                line.jobs.removeFirst(batch.count)  // checked: as many as were taken
                if batch.isEmpty { line.isDraining = false }
                return batch
            }
            if batch.isEmpty { return }
            Self.save(batch, sync)
        }
    }

    private static func save(_ batch: [Pending], _ sync: FileSync) {
        // Writeback of all files starts before the first sync waits: that sync then commits the metadata of all.
        for pending in batch { _ = offstage_start_writeback(pending.job.fileDescriptor) }
        var results = batch.map { TargetName.give($0.job, sync) }
        // One sync for all files of a directory. If it fails, none of them is certain to survive a power loss.
        var synced: [String: Int32?] = [:]
        // checked: as many results as pending jobs
        for (index, pending) in batch.enumerated() {
            guard case .success = results[index] else { continue }
            let path = pending.job.target.path
            let directory = directory(of: path)
            let code = synced[directory] ?? syncDirectory(at: directory, with: pending.job.fileDescriptor)
            synced[directory] = .some(code)
            if let code { results[index] = .failure(SaveFailure(unsynced(path, code))) }
        }
        for (pending, result) in zip(batch, results) {
            close(pending.job.fileDescriptor)
            pending.done(result)
        }
    }

    private static func unsynced(_ path: String, _ code: Int32) -> TransferFailure {
        let name = path.redactedControls
        let text = FileTrouble.text(code)
        return FileTrouble(code) == .passing
            ? .init(.daemonInterrupted, "the directory of \(name) could not be synced just now (\(text))")
            : .init(
                .targetNotWritable,
                "\(name) exists, but may not survive a power loss: its directory cannot be synced (\(text))"
            )
    }

    static func directory(of path: String) -> String {
        let slash = path.lastSlash ?? path.startIndex
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the names in the directory of a file durable.
    ///
    /// - Returns: the errno; nil on success.
    package static func syncDirectory(of path: String) -> Int32? { syncDirectory(at: directory(of: path)) }

    /// `file` is a file in the directory, used if the directory is writable but not readable.
    private static func syncDirectory(at path: String, with file: Int32? = nil) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == EACCES, let file else { return errno }
            return offstage_sync_file_system(file) == 0 ? nil : errno
        }
        defer { close(descriptor) }
        if fsync(descriptor) == 0 { return nil }
        // Some FUSE file systems do not support syncing directories.
        return [EINVAL, ENOSYS, ENOTSUP].contains(errno) ? nil : errno
    }
}
