// SPDX-License-Identifier: Apache-2.0
import Glibc

/// TCP over IPv4 and Unix stream sockets, as descriptors that no child inherits. The caller closes them.
package enum LoopbackSocket {
    package static func listen(address: String, port: UInt16, backlog: Int32 = 1024) throws -> Int32 {
        let descriptor = try stream(AF_INET)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var place = self.address(address, port)
        let code = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0, Glibc.listen(descriptor, backlog) == 0 else {
            let error = TestError.system("Nothing can listen on \(address):\(port)")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    package static func connect(address: String = "127.0.0.1", port: UInt16) throws -> Int32 {
        let descriptor = try stream(AF_INET)
        var place = self.address(address, port)
        let code = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let error = TestError.system("Nothing answers on \(address):\(port)")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Connects to a Unix stream socket.
    package static func connect(path: String) throws -> Int32 {
        let descriptor = try stream(AF_UNIX)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: place.sun_path) else {
            close(descriptor)
            throw TestError("\(path) is too long for a socket.")
        }
        withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: bytes) }
        let code = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else {
            let error = TestError.system("Nothing answers on \(path)")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    package static func port(of descriptor: Int32) throws -> UInt16 {
        var place = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard code == 0 else { throw TestError.system("The port is not known") }
        return UInt16(bigEndian: place.sin_port)
    }

    /// Sends everything; a peer that is gone is an error, not a signal.
    package static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor,
                    $0.baseAddress?.advanced(by: offset),
                    bytes.count - offset,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw TestError.system("The peer is gone") }
            offset += count
        }
    }

    /// Waits for bytes and receives them: empty at the end of the stream, nil if the limit comes first.
    package static func receive(_ descriptor: Int32, upTo count: Int = 65_536, limit: TimeLimit) throws -> [UInt8]? {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var ready: Int32
        repeat { ready = poll(&item, 1, limit.milliseconds) } while ready < 0 && errno == EINTR
        guard ready > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let received = recv(descriptor, &bytes, count, 0)
        if received < 0, errno == ECONNRESET { return [] }
        guard received >= 0 else { throw TestError.system("The socket cannot be read") }
        return Array(bytes[..<received])
    }

    /// Whether the peer, a socket on this machine, has read everything sent to it, or is gone.
    package static func isReadByPeer(_ descriptor: Int32) throws -> Bool {
        let near = try port(of: descriptor)
        var place = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        guard code == 0 else { return true }
        let far = UInt16(bigEndian: place.sin_port)
        // Bytes in transit are in the near end's queue, bytes that have arrived in the far end's.
        let table = String(decoding: try TestFiles.read("/proc/thread-self/net/tcp"), as: UTF8.self)
        return try queued(in: table, from: near, to: far).sent == 0
            && queued(in: table, from: far, to: near).received == 0
    }

    /// The two queues of the socket with these ports, in bytes; nothing if there is no such socket (proc_pid_net(5)).
    private static func queued(in table: String, from port: UInt16, to peer: UInt16) throws -> (
        sent: Int, received: Int
    ) {
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            guard fields.count > 4, self.port(at: fields[1]) == port, self.port(at: fields[2]) == peer else { continue }
            let sizes = fields[4].split(separator: ":").map { Int($0, radix: 16) }
            guard sizes.count == 2, let sent = sizes[0], let received = sizes[1] else {
                throw TestError("'\(fields[4])' are no queues.")
            }
            return (sent, received)
        }
        return (0, 0)
    }

    private static func port(at place: Substring) -> UInt16? {
        place.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
    }

    private static func stream(_ family: Int32) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw TestError.system("No socket can be made") }
        return descriptor
    }

    private static func address(_ address: String, _ port: UInt16) -> sockaddr_in {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = inet_addr(address)
        return place
    }
}
