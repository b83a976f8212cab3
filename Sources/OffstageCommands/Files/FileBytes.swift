// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Reads small files whole.
package enum FileBytes {
    /// - Parameters:
    ///   - path: the file's.
    ///   - limit: the longest acceptable file, in bytes.
    ///   - mayWait: whether to accept a pipe, and wait for its writer.
    /// - Returns: the whole file.
    /// - Throws: `CommandFailure` when the file cannot be read or is longer than `limit` bytes.
    package static func read(_ path: String, limit: Int, mayWait: Bool = false) throws(CommandFailure) -> [UInt8] {
        if !mayWait { try checkOrdinary(path) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (mayWait ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else {
            throw CommandFailure(
                "The file \(path) cannot be read (\(String(cString: strerror(errno)))): check its name and permissions."
            )
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(
                    "The file \(path) cannot be read (\(String(cString: strerror(errno)))): check its name and permissions."
                )
            }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else {
                throw CommandFailure(
                    "The file \(path) is longer than the \(limit) bytes allowed here."
                )
            }
        }
    }
    private static func checkOrdinary(_ path: String) throws(CommandFailure) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        throw CommandFailure("\(path) cannot be read (it is not a regular file): put a regular file there.")
    }
}
