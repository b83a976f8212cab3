// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageFiles

/// Gives a whole file the name that it was fetched for.
enum TargetName {
    /// Syncs the file, gives it the permissions that it is to have, and renames it.
    ///
    /// A folder may be writable for others, who can then put another file in the place of ours at any moment: whether
    /// the name leads to the very file is looked at before and afterwards.
    ///
    /// - Returns: the file's length.
    static func give(_ job: FileSaver.Job) -> Result<Int64, TransferFailure> {
        var status = stat()
        guard fstat(job.fileDescriptor, &status) == 0 else { return failure(errno, job) }
        if let code = dress(job, status) { return failure(code, job) }
        if let seconds = job.modifiedAt {
            // A file system that keeps no times is none the worse for it.
            let times = [timespec(tv_sec: 0, tv_nsec: unchangedTime), timespec(tv_sec: seconds, tv_nsec: 0)]
            _ = futimens(job.fileDescriptor, times)
        }
        guard fsync(job.fileDescriptor) == 0 else { return failure(errno, job) }
        guard leads(job.partialPath, to: status) else { return .failure(replaced(job.partialPath)) }
        if let code = rename(job) { return failure(code, job) }
        guard leads(job.target.path, to: status) else { return .failure(replaced(job.target.path)) }
        return .success(Int64(clamping: status.st_size))
    }

    /// `UTIME_OMIT`, which Swift does not see.
    private static let unchangedTime = 0x3fff_fffe

    /// - Returns: an error's number; nil when it went well.
    private static func rename(_ job: FileSaver.Job) -> Int32? {
        let isNamed =
            job.target.overwrites
            ? Glibc.rename(job.partialPath, job.target.path)
            : offstage_rename_without_replacing(job.partialPath, job.target.path)
        if isNamed == 0 { return nil }
        // A file system without RENAME_NOREPLACE (NFS): look first, then rename.
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
            // Of a group that we are not in: what it was allowed is not for another one.
            grant.permissions &= ~0o070
        }
        guard grant.permissions != status.st_mode & 0o777 else { return nil }
        // A file system without permissions (FAT) refuses; an answer that it is another's file is none here.
        return fchmod(job.fileDescriptor, grant.permissions) == 0 || errno == EPERM || errno == ENOTSUP ? nil : errno
    }

    /// Whether others than root and this owner may put files into a folder.
    private static func isShared(_ folder: String, beside owner: UInt32) -> Bool {
        var status = stat()
        guard stat(folder, &status) == 0 else { return true }
        return status.st_mode & FileAccess.writableByOthers != 0 || status.st_uid != 0 && status.st_uid != owner
    }

    private static func leads(_ path: String, to file: stat) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino
    }

    private static func failure(_ code: Int32, _ job: FileSaver.Job) -> Result<Int64, TransferFailure> {
        .failure(FileTrouble.ofTarget(code, job.target.path))
    }

    /// Fetched again: what lies there now is not what arrived.
    private static func replaced(_ path: String) -> TransferFailure {
        var status = stat()
        let isGone = lstat(path, &status) != 0 && errno == ENOENT
        let what = isGone ? "deleted" : "put another file in the place of"
        return .init(.connectionLost, "another user or program \(what) \(path.redactedControls)")
    }
}
