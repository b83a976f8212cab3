// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// A small file system in memory, for a full or read-only disk: needs root.
final class MountedDisk {
    let path: String
    private var isMounted = true

    init(_ path: String, megabytes: Int) throws {
        self.path = path
        try TestFiles.makeDirectory(path)
        try Self.mount(["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path])
    }

    deinit { unmount() }

    func makeReadOnly() throws {
        try Self.mount(["-o", "remount,ro", path])
    }

    func unmount() {
        guard isMounted else { return }
        isMounted = false
        _ = try? ChildProcess.run("/usr/bin/umount", ["-l", path])
    }

    private static func mount(_ arguments: [String]) throws {
        let result = try ChildProcess.run("/usr/bin/mount", arguments)
        guard result.isSuccess else { throw TestError("mount \(arguments.joined(separator: " ")): \(result.errors)") }
    }
}
