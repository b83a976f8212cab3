// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// A file whose opening blocks, as on a mount that does not answer, until the lease ends; the kernel breaks it after 45
/// s.
final class FileLease {
    private let descriptor: Int32

    private static let set: Int32 = 1024
    private static let get: Int32 = 1025
    private static let setSignal: Int32 = 10

    /// - Parameter path: a file that no process has open.
    /// - Throws: `TestError` if the kernel grants no lease.
    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        // When a process waits, the kernel sends a signal that does nothing.
        guard descriptor >= 0, fcntl(descriptor, Self.setSignal, SIGURG) == 0,
            fcntl(descriptor, Self.set, F_WRLCK) == 0
        else { throw TestError.system("There is no lease on \(path)") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether a process is waiting to open the file.
    var isWantedBack: Bool { fcntl(descriptor, Self.get) != F_WRLCK }

    func end() { _ = fcntl(descriptor, Self.set, F_UNLCK) }
}
