// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// A socket that accepts connections, and sends only what it is told to send.
final class SilentSocket {
    private let descriptor: Int32
    /// The first connection, once something is sent to it.
    private var connection: Int32 = -1

    init(at path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 4) == 0 else { throw TestError.system("\(path) cannot be listened at") }
    }

    /// Sends something to the first client.
    func say(_ text: String) {
        if connection < 0 { connection = accept(descriptor, nil, nil) }
        _ = send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }

    func close() {
        if connection >= 0 { Glibc.close(connection) }
        Glibc.close(descriptor)
    }
}
