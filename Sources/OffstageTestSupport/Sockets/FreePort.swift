// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Loopback ports on which nothing listens.
package enum FreePort {
    /// A port that was free a moment ago. The kernel hands ports out in turn, so another test does not get this one
    /// soon.
    package static func find() throws -> UInt16 {
        let socket = try LoopbackSocket.listen(address: "127.0.0.1", port: 0, backlog: 1)
        defer { close(socket) }
        return try LoopbackSocket.port(of: socket)
    }
}
