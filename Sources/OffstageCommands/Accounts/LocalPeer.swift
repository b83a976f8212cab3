// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// Whose process is at the other end of a connection from this machine to 127.0.0.1.
package enum LocalPeer {
    /// The longest table that is read, in bytes: some hundred thousand sockets.
    private static let longestTable = 32 << 20

    /// Nil when it is not known.
    static func owner(of socket: Int32) -> UInt32? {
        guard let far = port(socket, getpeername), let near = port(socket, getsockname) else { return nil }
        return owner(port: far, peer: near)
    }

    /// Whose process has the other end of a connection over 127.0.0.1.
    ///
    /// - Parameters:
    ///   - far: the port of the other end.
    ///   - near: the port of this end.
    /// - Returns: the user; nil when it is not known.
    package static func owner(port far: UInt16, peer near: UInt16) -> UInt32? {
        for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let table = try? FileBytes.read(path, limit: longestTable) else { continue }
            if let owner = SocketTable.owner(in: table, port: far, peer: near) { return owner }
        }
        return nil
    }

    private static func port(
        _ socket: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> UInt16? {
        var place = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(socket, $0, &length) }
        }
        guard result == 0, place.sin_family == sa_family_t(AF_INET), place.sin_addr.s_addr == INADDR_LOOPBACK.bigEndian
        else { return nil }
        return UInt16(bigEndian: place.sin_port)
    }
}
