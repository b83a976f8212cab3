// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A directory that is removed after the test. Its path is short, since a socket's path is limited to 107 bytes.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// - Parameter isInMemory: whether to use a file system in memory, if there is one: for a test to which a disk adds
    ///   nothing but time.
    /// - Throws: `TestError`.
    package init(isInMemory: Bool = false) throws {
        DescriptorLimit.raise()
        let parent = isInMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/ost.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw TestError.system("No temporary directory can be made") }
        path = String(cString: made)
    }

    deinit { remove() }

    /// Runs `body` with a new directory and removes it afterwards in any case.
    package static func with<Result>(_ body: (TemporaryDirectory) throws -> Result) throws -> Result {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        return try body(directory)
    }

    /// Runs `body` with a new directory and removes it afterwards in any case.
    package static func with<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (TemporaryDirectory) async throws -> Result
    ) async throws -> Result {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        return try await body(directory)
    }

    /// The path of a name in the directory.
    package func path(_ name: String) -> String { path + "/" + name }

    /// Removes the directory and its contents. Leaves other file systems mounted there alone.
    package func remove() {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        Self.empty(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), device: status.st_dev)
        rmdir(path)
    }

    /// Removes the contents of an open folder, and closes it. Names stay bytes: tests create some that are not UTF-8.
    private static func empty(_ folder: Int32, device: dev_t) {
        guard folder >= 0, let stream = fdopendir(folder) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    guard strcmp(name, ".") != 0, strcmp(name, "..") != 0 else { return }
                    var status = stat()
                    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_dev == device else {
                        return
                    }
                    guard status.st_mode & S_IFMT == S_IFDIR else {
                        unlinkat(folder, name, 0)
                        return
                    }
                    empty(openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), device: device)
                    unlinkat(folder, name, AT_REMOVEDIR)
                }
            }
        }
    }
}
