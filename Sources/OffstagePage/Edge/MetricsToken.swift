// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// The file with the token for reading metrics. Created if missing, readable only by this user.
package enum MetricsToken {
    /// The minimum and maximum length of a token, in characters.
    package static let lengths = 32...512

    /// Reads the token, or creates one.
    ///
    /// - Parameter path: an absolute path.
    /// - Returns: the token.
    /// - Throws: `PageError` for a file that other users can read, or that has no token.
    package static func read(_ path: String) throws(PageError) -> String {
        let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if made >= 0 { return try write(made, path) }
        guard errno == EEXIST else { throw problem("The token file \(shown(path)) cannot be created") }
        // Do not wait for the other end of a FIFO.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw problem("The token file \(shown(path)) cannot be read") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw PageError("\(shown(path)) is not a file: choose another place for the token.")
        }
        guard status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else {
            throw PageError("Other users may read the token file \(shown(path)): make it private with 'chmod 600'.")
        }
        var bytes = [UInt8](repeating: 0, count: lengths.upperBound + 2)  // checked: a constant
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw problem("The token file \(shown(path)) cannot be read") }
        let token = String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard lengths.contains(token.utf8.count), token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw PageError(
                "The file \(shown(path)) has no token of \(lengths.lowerBound) to \(lengths.upperBound) characters on its "
                    + "first line: remove it, and a new one is created."
            )
        }
        return token
    }

    private static func write(_ file: Int32, _ path: String) throws(PageError) -> String {
        defer { close(file) }
        let token = PageKeys.secret()
        let line = token + "\n"
        guard Glibc.write(file, line, line.utf8.count) == line.utf8.count, fsync(file) == 0 else {
            let error = problem("The token file \(shown(path)) cannot be written")
            unlink(path)
            throw error
        }
        return token
    }

    private static func shown(_ path: String) -> String { path.redactedControls }

    private static func problem(_ what: String) -> PageError {
        PageError("\(what) (\(String(cString: strerror(errno)))): choose another place.")
    }
}
