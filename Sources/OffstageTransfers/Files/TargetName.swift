// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageFiles

/// Renames a complete file to its target.
enum TargetName {
    /// Syncs the file, sets its permissions, and renames it.
    ///
    /// If other users can write to the folder, they can replace the file at any moment: before and after the rename,
    /// the name is checked to refer to this very file.
    ///
    /// - Parameters:
    ///   - job: the file and its target.
    ///   - sync: how to get data onto the disk.
    /// - Returns: the file's length.
    static func give(_ job: FileSaver.Job, _ sync: FileSync) -> Result<Int64, SaveFailure> {
        var status = stat()
        guard fstat(job.fileDescriptor, &status) == 0 else { return failure(errno, job) }
        if let code = dress(job, status) { return failure(code, job) }
        if let seconds = job.modifiedAt {
            // On a file system that does not store times, failing to set one is harmless.
            let times = [timespec(tv_sec: 0, tv_nsec: unchangedTime), timespec(tv_sec: seconds, tv_nsec: 0)]
            _ = futimens(job.fileDescriptor, times)
        }
        if let code = sync.run(job.fileDescriptor, .all) { return .failure(.ofSync(code, job.target.path)) }
        guard leads(job.partialPath, to: status) else { return .failure(SaveFailure(replaced(job.partialPath))) }
        if let code = rename(job) { return failure(code, job) }
        guard leads(job.target.path, to: status) else { return .failure(SaveFailure(replaced(job.target.path))) }
        return .success(Int64(clamping: status.st_size))
    }

    /// `UTIME_OMIT`, which is not imported into Swift.
    private static let unchangedTime = 0x3fff_fffe

    /// - Returns: the errno; nil on success.
    private static func rename(_ job: FileSaver.Job) -> Int32? {
        let isNamed =
            job.target.overwrites
            ? Glibc.rename(job.partialPath, job.target.path)
            : offstage_rename_without_replacing(job.partialPath, job.target.path)
        if isNamed == 0 { return nil }
        // A file system without RENAME_NOREPLACE (NFS): check first, then rename.
        guard errno == EINVAL, !job.target.overwrites else { return errno }
        var existing = stat()
        if lstat(job.target.path, &existing) == 0 { return EEXIST }
        return Glibc.rename(job.partialPath, job.target.path) == 0 ? nil : errno
    }

    /// Sets permissions, owner and group.
    private static func dress(_ job: FileSaver.Job, _ status: stat) -> Int32? {
        var target = stat()
        let isThere = job.target.overwrites && lstat(job.target.path, &target) == 0
        let replaced = isThere ? FileAccess(target) : nil
        var grant = FileAccess.grant(
            replacing: replaced,
            own: FileAccess(status),
            user: geteuid(),
            isFolderShared: geteuid() == 0 && isShared(FileSaver.directory(of: job.target.path), beside: target.st_uid),
            umask: (job.target.umask ?? offstage_umask()) & 0o777
        )
        if grant.owner != nil || grant.group != nil,
            fchown(job.fileDescriptor, grant.owner ?? .max, grant.group ?? .max) != 0
        {
            // This user is not in the file's group: its permissions must not go to a different group.
            grant.permissions &= ~0o070
        }
        guard grant.permissions != status.st_mode & 0o777 else { return nil }
        // A file system without permissions (FAT) refuses; EPERM for another user's file cannot occur here.
        return fchmod(job.fileDescriptor, grant.permissions) == 0 || errno == EPERM || errno == ENOTSUP ? nil : errno
    }

    /// Whether users other than root and this owner may put files into a folder.
    private static func isShared(_ folder: String, beside owner: UInt32) -> Bool {
        var status = stat()
        guard stat(folder, &status) == 0 else { return true }
        return status.st_mode & FileAccess.writableByOthers != 0 || status.st_uid != 0 && status.st_uid != owner
    }

    private static func leads(_ path: String, to file: stat) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino
    }

    private static func failure(_ code: Int32, _ job: FileSaver.Job) -> Result<Int64, SaveFailure> {
        .failure(SaveFailure(FileTrouble.ofTarget(code, job.target.path)))
    }

    /// The failure for a replaced file, which is fetched again: the existing file is not the received one.
    private static func replaced(_ path: String) -> TransferFailure {
        var status = stat()
        let isGone = lstat(path, &status) != 0 && errno == ENOENT
        let what = isGone ? "deleted" : "replaced"
        return .init(.connectionLost, "another user or program \(what) \(path.redactedControls)")
    }
}
