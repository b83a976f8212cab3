// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageHost
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite struct `The register of connections` {
    /// A connection from this process, and its other end.
    private func connect(to register: ConnectionRegister) throws -> (connection: Connection, otherEnd: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let connection = Connection(id: register.makeID(), fileDescriptor: ends[0], peerProcess: getpid())
        register.add(connection)
        return (connection, ends[1])
    }

    /// The number of pidfds for this process that it holds itself.
    private var pidfds: Int {
        TestFiles.names(in: "/proc/self/fdinfo").count { name in
            (try? TestFiles.text("/proc/self/fdinfo/" + name))?.contains("\nPid:\t\(getpid())\n") == true
        }
    }

    @Test func `an app that asks again and again for a connection that it may not have leaves no pidfd`() throws {
        // One connection for apps: each takes three descriptors, and half of them all are kept for other uses.
        let register = ConnectionRegister(SocketBudget(), perProcess: ProcessBudget(), descriptorLimit: 6)
        let (first, second) = (try connect(to: register), try connect(to: register))
        defer {
            for (connection, otherEnd) in [first, second] {
                connection.closeAll()
                close(otherEnd)
            }
        }
        let peer = try #require(try register.peerForApp(first.connection.id))
        #expect(peer.process == getpid())
        if peer.pidfd >= 0 { close(peer.pidfd) }
        let before = pidfds
        for _ in 0..<200 {
            #expect(throws: WireFailure.self) { try register.peerForApp(second.connection.id) }
        }
        // Other tests may briefly hold some.
        #expect(pidfds < before + 100)
    }

    @Test func `a connection that has ended has no peer`() throws {
        let register = ConnectionRegister(SocketBudget(), perProcess: ProcessBudget(), descriptorLimit: 6)
        let peer = try register.peerForApp(7)
        #expect(peer?.process == nil)
    }
}
