// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A directory that is gone when the test is: its path is short, since a socket's path may have 107 bytes only.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// - Parameter isInMemory: whether it lies on a file system in memory, where there is one: for a test to which a disk
    ///   means nothing but time.
    /// - Throws: `TestError`.
    package init(isInMemory: Bool = false) throws {
        let parent = isInMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/ost.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw TestError.system("No temporary directory can be made") }
        path = String(cString: made)
    }

    deinit { remove() }

    /// Runs `body` with a new directory and removes it afterwards, whatever happens.
    package static func with<Result>(_ body: (TemporaryDirectory) throws -> Result) throws -> Result {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        return try body(directory)
    }

    /// Runs `body` with a new directory and removes it afterwards, whatever happens.
    package static func with<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (TemporaryDirectory) async throws -> Result
    ) async throws -> Result {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        return try await body(directory)
    }

    /// The path of something in it.
    package func path(_ name: String) -> String { path + "/" + name }

    /// Removes it with all that is in it; what other file systems are mounted there is left alone.
    package func remove() {
        var status = stat()
        if lstat(path, &status) == 0 { Self.remove(path, device: status.st_dev) }
    }

    private static func remove(_ path: String, device: dev_t) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in TestFiles.names(in: path) { remove(path + "/" + name, device: device) }
        }
        Glibc.remove(path)
    }
}
