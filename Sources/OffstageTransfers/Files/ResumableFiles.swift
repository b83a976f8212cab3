// SPDX-License-Identifier: Apache-2.0
import Glibc

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
    ///   - folder: where the second name is; made where it does not exist.
    ///   - token: the second name.
    /// - Returns: the file's length in bytes; nil when there is nothing to keep or it cannot be kept.
    package static func keep(_ path: String, in folder: String, as token: String) -> Int64? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0
        else { return nil }
        // Its age is counted from now on.
        guard futimens(descriptor, nil) == 0, fsync(descriptor) == 0 else { return nil }
        mkdir(folder, 0o700)
        let kept = folder + "/" + token
        guard link(path, kept) == 0 else { return nil }
        FileSaver.syncDirectory(of: kept)
        return Int64(status.st_size)
    }

    /// Makes a kept file the partial file of the transfer that goes on with it. One that is gone is no matter: the
    /// download then begins from byte 0. Neither is one that was taken before: a file that is there is left alone.
    static func take(_ token: String, from folder: String, as path: String) {
        if access(path, F_OK) != 0 { rename(folder + "/" + token, path) }
    }

    /// Deletes what nobody came for.
    package static func sweep(_ folder: String) {
        for name in AttemptFiles.oldFiles(in: folder, olderThan: keptFor) { unlink(folder + "/" + name) }
    }
}
