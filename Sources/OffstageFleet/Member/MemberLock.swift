// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
import OffstageFiles

/// The file that a home's member keeps locked while it runs, so there is only one at a time.
package final class MemberLock {
    /// The program that holds the lock, by the kernel's name for its processes.
    private static let program = "offstage-fleet"

    private var descriptor: Int32

    /// Locks the file.
    ///
    /// - Throws: `MemberError` if another process has it.
    package init(_ paths: OffstagePaths) throws(MemberError) {
        let path = paths.fleetMemberLock
        do throws(PrivateFolder.Failure) {
            // checked: an index of this very text
            if let slash = path.lastSlash { try PrivateFolder.make(String(path[..<slash])) }
        } catch {
            throw MemberError(error.sentence)
        }
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw MemberError("The file \(path) cannot be used: \(String(cString: strerror(errno))).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw MemberError("The member of this home runs already: stop it first.")
        }
        // For `leave`, which ends the process that holds the lock.
        let text = "\(getpid())\n"
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.utf8.count, 0)
    }

    package func release() {
        close(descriptor)
        descriptor = -1
    }

    /// The PID of the process that holds the lock; nil if none does. If it runs in a container, or on another machine
    /// that shares the file, the PID may belong to a different process here.
    package static func holder(_ paths: OffstagePaths) -> Int32? {
        let path = paths.fleetMemberLock
        guard LockFile.isHeld(path), let bytes = SmallFile.read(path, limit: 32) else { return nil }
        return Int32(digits: bytes.prefix { $0 != UInt8(ascii: "\n") }).flatMap { $0 > 1 ? $0 : nil }
    }

    /// Whether the process with that PID is this user's and holds the lock.
    package static func isHeld(by process: Int32, _ paths: OffstagePaths) -> Bool {
        LockFile.isProcess(process, of: program) && LockFile.isOpen(paths.fleetMemberLock, in: process)
    }
}
