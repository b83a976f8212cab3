// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import OffstageFiles

/// Folders, lock and settings file of one daemon: what has to be right before anything else is opened.
package enum DaemonFolders {
    /// Makes a folder and its parents: see `PrivateFolder`.
    package static func make(_ path: String, mustSync: Bool = false) throws(DaemonError) {
        do throws(PrivateFolder.Failure) { try PrivateFolder.make(path, mustSync: mustSync) } catch {
            throw .folder(path: error.path, detail: error.detail)
        }
    }

    /// Refuses a folder that others could put things into.
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

    package static func folder(of path: String) -> String {
        String(path[..<(path.lastSlash ?? path.startIndex)])
    }

    /// Takes the lock for the rest of the process's life: of a file, and of the folder that it is in, since a file can be
    /// removed while it is locked. The folder's descriptor is never closed.
    ///
    /// Blocking, for a twentieth of a second at most: somebody may just be asking whether it is held.
    /// - Returns: the descriptor of the file, in which nothing stands any more.
    package static func lock(_ path: String) throws(DaemonError) -> Int32 {
        let folder = folder(of: path)
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        try hold(file, of: path, isNeeded: true)
        try hold(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), of: folder, isNeeded: false)
        _ = ftruncate(file, 0)
        return file
    }

    /// Locks a file or folder; one that the file system does not know how to lock is an error only where it is needed.
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

    /// More bytes than anybody writes settings in.
    private static let longestSettings = 1 << 20

    package static func settings(at path: String) throws(DaemonError) -> Settings {
        do throws(TrustedPath.Failure) {
            try TrustedPath.check(path)
        } catch {
            switch error {
            // What is no file is refused by whoever reads it.
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
