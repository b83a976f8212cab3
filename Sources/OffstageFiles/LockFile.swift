// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// The file that a daemon keeps locked as long as it runs: whether it is locked, and its contents.
package enum LockFile {
    /// The address that a daemon wrote; that daemon may have ended since. Nil if no address can be trusted.
    package static func address(in path: String) -> DaemonAddress? {
        guard let descriptor = open(path) else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: DaemonAddress.longestText + 1)  // checked: a constant
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? DaemonAddress(bytes.prefix(count)) : nil
    }

    /// Whether the process with that number is a daemon of this user. The lock may be held on another machine, or in a
    /// container.
    package static func isDaemon(_ process: Int32) -> Bool { isProcess(process, of: "offstaged") }

    /// Whether the process with that number belongs to this user and runs a program.
    ///
    /// - Parameters:
    ///   - process: the process's number.
    ///   - program: the program's name, at most 15 bytes, since the kernel keeps no more.
    /// - Returns: whether it does. The number of a process in a container, or on another machine, denotes a different
    ///   process here.
    package static func isProcess(_ process: Int32, of program: String) -> Bool {
        guard let standing = FileStanding(lookingAt: "/proc/\(process)"), standing.owner == geteuid() else {
            return false
        }
        let file = Glibc.open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = read(file, &bytes, bytes.count)
        return count > 0 && bytes.prefix(count).elementsEqual("\(program)\n".utf8)
    }

    /// Whether a process has the file open, as the lock's holder does. False if that cannot be determined.
    package static func isOpen(_ path: String, in process: Int32) -> Bool {
        var file = stat()
        guard stat(path, &file) == 0 else { return false }
        return SmallFile.numbers(in: "/proc/\(process)/fd").contains { number in
            var other = stat()
            guard stat("/proc/\(process)/fd/\(number)", &other) == 0 else { return false }
            return other.st_dev == file.st_dev && other.st_ino == file.st_ino
        }
    }

    /// Whether a signal such as SIGSTOP has stopped a process: it does not respond, and SIGTERM has no effect.
    package static func isStopped(_ process: Int32) -> Bool {
        let file = Glibc.open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(file, &bytes, bytes.count)
        // The state is the letter after the name, which is in brackets and may itself contain brackets.
        guard count > 0, let name = bytes.prefix(count).lastIndex(of: UInt8(ascii: ")")) else { return false }
        return bytes[name...].prefix(3).elementsEqual(") T".utf8)  // checked: an index of this very array
    }

    /// Whether a process holds the lock. A daemon that starts at the same moment tries again.
    package static func isHeld(_ path: String) -> Bool {
        guard let descriptor = open(path) else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Only a file that this user owns is trusted.
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
