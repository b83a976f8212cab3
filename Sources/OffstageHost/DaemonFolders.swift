// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import OffstageFiles

/// The folders, lock and settings file of one daemon: they must be right before anything else is opened.
package enum DaemonFolders {
    /// Makes a folder and its parents. See `PrivateFolder`.
    package static func make(_ path: String, mustSync: Bool = false) throws(DaemonError) {
        do throws(PrivateFolder.Failure) { try PrivateFolder.make(path, mustSync: mustSync) } catch {
            throw .folder(path: error.path, detail: error.detail)
        }
    }

    /// Refuses a folder that other users can write.
    package static func checkPrivate(_ path: String) throws(DaemonError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw .folder(path: path, detail: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .folder(path: path, detail: "it is not a directory") }
        guard status.st_uid == geteuid() else { throw .folder(path: path, detail: "it belongs to another user") }
        if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 {
            throw .folder(path: path, detail: "others can access it, and its mode cannot be changed")
        }
    }

    /// Refuses an `OFFSTAGE_HOME` that other users can enter and that holds more than a daemon's files: closing it to
    /// them, as is done for a daemon's home, could lock them out of their own files.
    ///
    /// The cost grows with the number of entries in that folder, and occurs once per start.
    package static func checkHome(_ paths: OffstagePaths) throws(DaemonError) {
        let home = folder(of: paths.store)
        var status = stat()
        guard paths.isApart, stat(home.isEmpty ? "/" : home, &status) == 0, status.st_mode & 0o077 != 0,
            access(paths.store, F_OK) != 0
        else { return }
        let own = paths.namesInHome
        let other = FolderNames.all(in: home.isEmpty ? "/" : home, includesHidden: true).first { name in
            !own.contains { name == $0 || name.hasPrefix($0 + ".") || name.hasPrefix($0 + "-") }
        }
        guard other != nil || Self.everybodys.contains(home) else { return }
        throw .sharedHome(path: home.isEmpty ? "/" : home, holding: other)
    }

    /// Folders in which all users make files, even if none exist yet.
    private static let everybodys: Set<String> = ["", "/tmp", "/var/tmp", "/dev/shm", "/run"]

    package static func folder(of path: String) -> String {
        String(path[..<(path.lastSlash ?? path.startIndex)])
    }

    /// Locks a file for the rest of the process's life, and a folder beside it as well, because a file can be removed
    /// while it is locked. The folder's descriptor is never closed.
    ///
    /// Any process that can open a file or folder can lock it: both must have been closed to other users since they
    /// were made.
    ///
    /// Blocks for a tenth of a second at most: another process may just be checking whether it is locked.
    ///
    /// - Returns: the descriptor of the file, which is empty then.
    package static func lock(_ path: String, and folder: String) throws(DaemonError) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        try hold(file, of: path, isNeeded: true)
        try hold(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), of: folder, isNeeded: false)
        _ = ftruncate(file, 0)
        return file
    }

    /// Locks a file or folder. If the file system does not support locks, that is an error only where a lock is
    /// required.
    private static func hold(_ descriptor: Int32, of path: String, isNeeded: Bool) throws(DaemonError) {
        guard descriptor >= 0 else { throw .folder(path: path, detail: String(cString: strerror(errno))) }
        var triesLeft = 5
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK where triesLeft > 0:
                triesLeft -= 1
                usleep(10_000)
            case EWOULDBLOCK: throw .alreadyRunning(lockPath: path)
            default:
                // Folders cannot be locked on NFS.
                if isNeeded { throw .folder(path: path, detail: String(cString: strerror(errno))) }
                return
            }
        }
    }

    /// The longest settings file, in bytes: more than any settings need.
    private static let longestSettings = 1 << 20

    package static func settings(at path: String) throws(DaemonError) -> Settings {
        do throws(TrustedPath.Failure) {
            try TrustedPath.check(path)
        } catch {
            switch error {
            // The reader only accepts regular files.
            case .doubt(.kind), .system: break
            case .doubt(let doubt): throw .settings(.untrusted(path: path, doubt))
            }
        }
        let bytes: [UInt8]
        do throws(SmallFile.Trouble) {
            bytes = try SmallFile.contents(of: path, limit: longestSettings)
        } catch {
            if error == .system(ENOENT) { return Settings() }
            throw .settings(.unreadable(path: path, detail: error.detail))
        }
        do {
            return try Settings.parse(bytes, path: path)
        } catch {
            throw .settings(error)
        }
    }
}
