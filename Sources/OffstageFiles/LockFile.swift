// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// The file that a daemon keeps locked for its life: whether one does, and what stands in it.
package enum LockFile {
    /// The address that a daemon has written; it may have ended since. Nil when there is none that can be believed.
    package static func address(in path: String) -> DaemonAddress? {
        guard let descriptor = open(path) else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: DaemonAddress.longestText + 1)  // checked: a constant
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? DaemonAddress(bytes.prefix(count)) : nil
    }

    /// Whether a process of that number is a daemon of this user: the lock may be held on another machine, or in a container.
    package static func isDaemon(_ process: Int32) -> Bool {
        guard let standing = FileStanding(lookingAt: "/proc/\(process)"), standing.owner == geteuid() else {
            return false
        }
        let file = Glibc.open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = read(file, &bytes, bytes.count)
        return count > 0 && bytes.prefix(count).elementsEqual("offstaged\n".utf8)
    }

    /// Whether a process has been stopped by a signal, as by `kill -STOP`: it answers nobody, and no `kill` reaches it.
    package static func isStopped(_ process: Int32) -> Bool {
        let file = Glibc.open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(file, &bytes, bytes.count)
        // The state is the letter behind the name, which is in brackets and may hold any.
        guard count > 0, let name = bytes.prefix(count).lastIndex(of: UInt8(ascii: ")")) else { return false }
        return bytes[name...].prefix(3).elementsEqual(") T".utf8)  // checked: an index of this very array
    }

    /// Whether a process holds the lock. A daemon that begins in the same moment tries again.
    package static func isHeld(_ path: String) -> Bool {
        guard let descriptor = open(path) else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Only a file of this user's own is believed.
    private static func open(_ path: String) -> Int32? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        guard let standing = FileStanding(of: descriptor, path: path), standing.kind == .file,
            standing.owner == geteuid()
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
