// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore

/// Finds the user whose process is at the other end of a local connection.
package enum LocalPeer {
    /// The longest table that is read, in bytes, which is some hundred thousand sockets.
    private static let longestTable = 32 << 20

    /// Whether the kernel can be asked about a single connection. If not, as in a sandbox without netlink, its whole
    /// tables are read, which another user's many connections would make slow for everyone.
    private static let isTold = offstage_tcp_owner_is_told() != 0

    /// The owner of the other end; nil if it is unknown.
    static func owner(of socket: Int32) -> UInt32? {
        guard let far = place(socket, getpeername), let near = place(socket, getsockname) else { return nil }
        return owner(of: far, connectedTo: near)
    }

    /// The user whose process has the other end of a connection over 127.0.0.0/8.
    ///
    /// - Parameters:
    ///   - far: the other end.
    ///   - near: this end.
    /// - Returns: the user; nil if it is unknown.
    package static func owner(of far: SocketTable.Place, connectedTo near: SocketTable.Place) -> UInt32? {
        if isTold {
            var user: UInt32 = 0
            let found = offstage_tcp_owner(far.address, far.port, near.address, near.port, &user)
            if found >= 0 { return found == 1 ? user : nil }
        }
        return ownerInTables(of: far, connectedTo: near)
    }

    /// Finds the owner in the tables of all connections.
    package static func ownerInTables(of far: SocketTable.Place, connectedTo near: SocketTable.Place) -> UInt32? {
        for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let table = try? FileBytes.read(path, limit: longestTable) else { continue }
            if let owner = SocketTable.owner(in: table, of: far, connectedTo: near) { return owner }
        }
        return nil
    }

    private static func place(
        _ socket: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> SocketTable.Place? {
        var place = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(socket, $0, &length) }
        }
        let address = UInt32(bigEndian: place.sin_addr.s_addr)
        guard result == 0, place.sin_family == sa_family_t(AF_INET), address >> 24 == 127 else { return nil }
        return SocketTable.Place(address: address, port: UInt16(bigEndian: place.sin_port))
    }
}
