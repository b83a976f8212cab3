// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// A small separate file system whose writes do not return while it is frozen, as on a mount whose server is gone:
/// needs root and a loop device.
final class FrozenDisk {
    let path: String
    private var isFrozen = false

    /// - Parameter path: a path in an existing folder; the image is placed next to it.
    /// - Throws: `TestError` if it cannot be mounted.
    init(_ path: String) throws {
        self.path = path
        let image = path + ".image"
        try TestFiles.makeDirectory(path)
        try Self.run("/usr/bin/truncate", "-s", "32M", image)
        try Self.run("/sbin/mkfs.ext4", "-q", "-m", "0", image)
        try Self.run("/usr/bin/mount", "-o", "loop", image, path)
    }

    deinit {
        thaw()
        _ = try? ChildProcess.run("/usr/bin/umount", ["-l", path])
    }

    func freeze() throws {
        try Self.run("/sbin/fsfreeze", "-f", path)
        isFrozen = true
    }

    func thaw() {
        guard isFrozen else { return }
        isFrozen = false
        _ = try? ChildProcess.run("/sbin/fsfreeze", ["-u", path])
    }

    private static func run(_ program: String, _ arguments: String...) throws {
        let result = try ChildProcess.run(program, arguments)
        guard result.isSuccess else { throw TestError("\(program) \(arguments): \(result.errors)") }
    }
}
