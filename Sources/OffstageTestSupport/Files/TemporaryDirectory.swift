// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A directory that is gone when the test is: its path is short, since a socket's path may have 107 bytes only.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// - Parameter isInMemory: whether it lies on a file system in memory, where there is one: for a test to which a disk
    ///   means nothing but time.
    /// - Throws: `TestError`.
    package init(isInMemory: Bool = false) throws {
        DescriptorLimit.raise()
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

    /// Removes it with everything in it. Other file systems that are mounted there are left alone.
    package func remove() {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        Self.empty(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), device: status.st_dev)
        rmdir(path)
    }

    /// Removes what is in an open folder, and closes it. Names stay bytes: tests make some that are not UTF-8.
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
