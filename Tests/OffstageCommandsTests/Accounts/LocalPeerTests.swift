// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageTestSupport
import Testing

/// What the kernel reports about connections between sockets of this process.
@Suite struct LocalPeerTests {
    /// A listener at an address of the loopback network, and a connection to it.
    private final class Pair {
        let listener: Int32
        let near: SocketTable.Place
        private var socket: Int32
        let far: SocketTable.Place

        init(_ address: String, _ number: UInt32) throws {
            listener = try LoopbackSocket.listen(address: address, port: 0)
            near = SocketTable.Place(address: number, port: try LoopbackSocket.port(of: listener))
            socket = try LoopbackSocket.connect(address: address, port: near.port)
            far = SocketTable.Place(port: try LoopbackSocket.port(of: socket))
        }

        /// Closes the far end.
        func leave() {
            close(socket)
            socket = -1
        }

        deinit {
            close(listener)
            if socket >= 0 { close(socket) }
        }
    }

    @Test(arguments: [("127.0.0.1", 0x7F00_0001), ("127.81.7.202", 0x7F51_07CA)] as [(String, UInt32)])
    func `the owner is found, in the tables as well, and not by other places`(address: String, number: UInt32) throws {
        let pair = try Pair(address, number)
        #expect(LocalPeer.owner(of: pair.far, connectedTo: pair.near) == geteuid())
        #expect(LocalPeer.ownerInTables(of: pair.far, connectedTo: pair.near) == geteuid())
        // Without a connection, the kernel names a listener, which is not the far end's owner.
        let elsewhere = SocketTable.Place(address: 0x7F0B_0B0B, port: pair.near.port)
        #expect(LocalPeer.owner(of: pair.far, connectedTo: elsewhere) == nil)
        #expect(LocalPeer.owner(of: pair.near, connectedTo: SocketTable.Place(port: 9)) == nil)
        #expect(LocalPeer.owner(of: SocketTable.Place(port: 9), connectedTo: pair.near) == nil)
    }

    @Test func `a connection that was given up is nobody's`() throws {
        let pair = try Pair("127.81.7.202", 0x7F51_07CA)
        pair.leave()
        #expect(LocalPeer.owner(of: pair.far, connectedTo: pair.near) == nil)
        #expect(LocalPeer.ownerInTables(of: pair.far, connectedTo: pair.near) == nil)
    }
}
