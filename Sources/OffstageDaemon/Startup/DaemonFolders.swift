// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore

/// Folders, lock and settings file of one daemon: what has to be right before anything else is opened.
enum DaemonFolders {
    /// Makes a folder and its parents, for this user alone.
    static func make(_ path: String) throws(DaemonError) {
        var partial = ""
        for part in path.split(separator: "/") {
            partial += "/" + part
            if mkdir(partial, 0o700) != 0, errno != EEXIST {
                throw .folder(path: partial, detail: String(cString: strerror(errno)))
            }
        }
    }

    /// Refuses a folder that others could put things into.
    static func checkPrivate(_ path: String) throws(DaemonError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw .folder(path: path, detail: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .folder(path: path, detail: "it is not a directory") }
        guard status.st_uid == geteuid() else { throw .folder(path: path, detail: "it belongs to another user") }
        if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 {
            throw .folder(path: path, detail: "others may enter it, and its mode cannot be changed")
        }
    }

    static func folder(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    /// Takes the lock for the rest of the process's life. The descriptor is never closed.
    static func lock(_ path: String) throws(DaemonError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .folder(path: path, detail: String(cString: strerror(errno))) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .alreadyRunning(lockPath: path) }
    }

    static func settings(at path: String) throws(DaemonError) -> Settings {
        guard access(path, F_OK) == 0 else { return Settings() }
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw .settings(.unreadable(path: path, detail: String(cString: strerror(errno))))
        }
        do {
            return try Settings.parse(bytes, path: path)
        } catch {
            throw .settings(error)
        }
    }
}
