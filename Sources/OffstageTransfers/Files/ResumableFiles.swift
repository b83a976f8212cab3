// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
import OffstageFiles

/// Partial downloads that outlive their transfers, in `OffstagePaths.resumable`. Blocking: call it on a worker.
package enum ResumableFiles {
    /// How long a kept file waits for a task that resumes it, in seconds.
    package static let keptFor = 7 * 86_400

    /// Gives a partial file a second name and makes the name and the content durable.
    ///
    /// The first name stays until the end of the transfer is committed: whatever a crash leaves, the transfer has its
    /// file, and a second name that was never reported is deleted by a later sweep.
    ///
    /// - Parameters:
    ///   - path: the partial file; nothing writes to it any more.
    ///   - known: that file, as in the transfer's record.
    ///   - folder: the folder for the second name; created if it does not exist.
    ///   - token: the second name.
    /// - Returns: the file's length in bytes; nil if there is nothing to keep or it cannot be kept.
    package static func keep(_ path: String, known: FileIdentity? = nil, in folder: String, as token: String) -> Int64?
    {
        guard case .ours(let descriptor, let status) = PartialFile.openExisting(path, known: known) else { return nil }
        defer { close(descriptor) }
        guard status.st_size > 0 else { return nil }
        // Its age is counted from now.
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

    /// Makes a kept file the partial file of the transfer that resumes it. A missing kept file is not an error: the
    /// download then begins at byte 0. Nor is one that was already taken: an existing partial file is left alone.
    ///
    /// - Returns: the file's identity; it may briefly keep its former name as well. Nil if no file was taken.
    @discardableResult
    static func claim(_ token: String, from folder: String, as path: String) -> FileIdentity? {
        var status = stat()
        let kept = folder + "/" + token
        guard lstat(path, &status) != 0, lstat(kept, &status) == 0, rename(kept, path) == 0 else { return nil }
        return FileIdentity(status)
    }

    /// Deletes expired files that no task has taken.
    package static func sweep(_ folder: String) {
        for name in OldFiles.names(in: folder, olderThan: keptFor) { unlink(folder + "/" + name) }
    }
}
