// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// A file that whoever opens it waits for, as for one on a mount that does not answer: until the lease ends, which the
/// kernel sees to after 45 s.
final class FileLease {
    private let descriptor: Int32

    private static let set: Int32 = 1024
    private static let get: Int32 = 1025
    private static let setSignal: Int32 = 10

    /// - Parameter path: a file that nobody has open.
    /// - Throws: `TestError` when the kernel gives out no lease.
    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        // A signal that does nothing, when somebody waits.
        guard descriptor >= 0, fcntl(descriptor, Self.setSignal, SIGURG) == 0,
            fcntl(descriptor, Self.set, F_WRLCK) == 0
        else { throw TestError.system("There is no lease on \(path)") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether somebody waits for it.
    var isWantedBack: Bool { fcntl(descriptor, Self.get) != F_WRLCK }

    func end() { _ = fcntl(descriptor, Self.set, F_UNLCK) }
}
