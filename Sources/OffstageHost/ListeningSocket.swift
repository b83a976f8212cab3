// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// The socket that clients connect to, passed by systemd or made here.
package enum ListeningSocket {
    /// A socket that systemd passed (`sd_listen_fds(3)`), or nil.
    package static func inherited(environment: [String: String]) -> Int32? {
        guard environment["LISTEN_PID"] == "\(getpid())", let count = environment["LISTEN_FDS"].flatMap(Int.init),
            count >= 1
        else { return nil }
        let first: Int32 = 3
        _ = fcntl(first, F_SETFD, FD_CLOEXEC)
        _ = fcntl(first, F_SETFL, fcntl(first, F_GETFL) | O_NONBLOCK)
        return first
    }

    /// The path of a listening socket; nil if it is not in the file system.
    static func path(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let path = withUnsafeBytes(of: address.sun_path) { String(validating: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// Whether a process listens at the socket with that path.
    static func isAnswered(at path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let result = withAddress(path) { connect(descriptor, $0, $1) }
        return result == 0 || result != nil && errno == EAGAIN
    }

    /// The result of a system call on the address of a path; nil if the path is too long for an address.
    private static func withAddress(_ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count <= OffstagePaths.longestSocketPath else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Makes the socket. The caller holds the daemon's lock, so a file at the path is a leftover.
    package static func make(at path: String) throws(DaemonError) -> Int32 {
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { throw .socket(path: path, detail: String(cString: strerror(errno))) }
        unlink(path)
        guard let isBound = withAddress(path, { bind(descriptor, $0, $1) }) else {
            close(descriptor)
            throw .settings(.socketPathTooLong(path))
        }
        guard isBound == 0, chmod(path, 0o600) == 0, listen(descriptor, 512) == 0 else {
            let detail = String(cString: strerror(errno))
            close(descriptor)
            throw .socket(path: path, detail: detail)
        }
        return descriptor
    }
}
