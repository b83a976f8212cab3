// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
import OffstageFiles

/// Beginnings of downloads that outlive their transfers, in `OffstagePaths.resumable`. Blocking: called on a worker.
package enum ResumableFiles {
    /// How long a kept file waits for a task that goes on with it, in seconds.
    package static let keptFor = 7 * 86_400

    /// Gives a partial file a second name and makes all of it durable.
    ///
    /// The first name stays until the end of the transfer is committed: whatever a crash leaves, the transfer has its
    /// file, and a second name that nobody was told is swept away one day.
    ///
    /// - Parameters:
    ///   - path: the partial file; nobody writes to it any more.
    ///   - known: that file, as the transfer's record has it.
    ///   - folder: where the second name is; made where it does not exist.
    ///   - token: the second name.
    /// - Returns: the file's length in bytes; nil when there is nothing to keep or it cannot be kept.
    package static func keep(_ path: String, known: FileIdentity? = nil, in folder: String, as token: String) -> Int64?
    {
        guard case .ours(let descriptor, let status) = PartialFile.openExisting(path, known: known) else { return nil }
        defer { close(descriptor) }
        guard status.st_size > 0 else { return nil }
        // Its age is counted from now on.
        guard futimens(descriptor, nil) == 0, fsync(descriptor) == 0 else { return nil }
        mkdir(folder, 0o700)
        let kept = folder + "/" + token
        guard link(path, kept) == 0 else { return nil }
        guard FileSaver.syncDirectory(of: kept) == nil else {
            unlink(kept)
            return nil
        }
        return Int64(status.st_size)
    }

    /// Makes a kept file the partial file of the transfer that goes on with it. One that is gone is no matter: the
    /// download then begins from byte 0. Neither is one that was taken before: a file that is there is left alone.
    ///
    /// - Returns: the file that it is, which may have its former name as well for a moment; nil when none was taken.
    @discardableResult
    static func take(_ token: String, from folder: String, as path: String) -> FileIdentity? {
        var status = stat()
        let kept = folder + "/" + token
        guard lstat(path, &status) != 0, lstat(kept, &status) == 0, rename(kept, path) == 0 else { return nil }
        return FileIdentity(status)
    }

    /// Deletes what nobody came for.
    package static func sweep(_ folder: String) {
        for name in OldFiles.names(in: folder, olderThan: keptFor) { unlink(folder + "/" + name) }
    }
}
