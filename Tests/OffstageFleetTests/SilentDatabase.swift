// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageTestSupport

/// A socket where a database would listen, and the bytes it receives. It never answers.
final class SilentDatabase {
    let folder: TemporaryDirectory
    /// The file of the socket.
    let path: String
    private let descriptor: Int32

    /// - Throws: `TestError`.
    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path(".s.PGSQL.5432")
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: bytes.prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0, listen(descriptor, 4) == 0 else { throw TestError.system("Nothing can listen on \(path)") }
    }

    deinit { close(descriptor) }

    /// A libpq connection string for it, with a password.
    var words: String { "host=\(folder.path) port=5432 user=ann password=hunter2 dbname=fleet" }

    /// How many bytes it has received, over all connections.
    var told: Int {
        var (sum, buffer) = (0, [UInt8](repeating: 0, count: 4096))
        while true {
            let client = offstage_accept(descriptor)
            guard client >= 0 else { return sum }
            defer { close(client) }
            sum += max(0, recv(client, &buffer, buffer.count, 0))
        }
    }
}
