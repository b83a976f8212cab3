// SPDX-License-Identifier: Apache-2.0
import COffstageTestSupport
import Glibc

/// The connections of another process to a daemon. Foundation opens its own sockets, which do not count.
package enum DaemonSockets {
    /// Counts the connections of one of the test's own processes.
    ///
    /// - Parameters:
    ///   - process: a child, or a process of the test's user if that is permitted.
    ///   - path: the daemon's socket.
    /// - Returns: the count.
    /// - Throws: `TestError` if the process cannot be inspected.
    package static func count(of process: Int32, to path: String) throws -> Int {
        let pidfd = offstage_test_pidfd_open(process)
        guard pidfd >= 0 else { throw TestError.system("Process \(process) cannot be opened") }
        defer { close(pidfd) }
        return try TestFiles.names(in: "/proc/\(process)/fd").compactMap { Int32($0) }.count { number in
            let descriptor = offstage_test_take_descriptor(pidfd, number)
            guard descriptor >= 0 else {
                // It has been closed in the meantime.
                guard errno == EBADF else { throw TestError.system("A descriptor of \(process) cannot be taken") }
                return false
            }
            defer { close(descriptor) }
            return peer(of: descriptor) == path
        }
    }

    /// The path at the other end of a Unix socket; nil for other descriptors.
    private static func peer(of descriptor: Int32) -> String? {
        var place = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        guard code == 0, place.sun_family == sa_family_t(AF_UNIX) else { return nil }
        return withUnsafeBytes(of: &place.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
