// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageRuntime
import OffstageTestSupport
import OffstageWork

/// A cgroup v2 group that has its own pressure file.
final class PressureGroup {
    private let path: String
    /// The pressure of the group's programs only.
    var file: String { path + "/cpu.pressure" }

    /// Whether this user may create a group, and the kernel reports its pressure.
    static let isPossible: Bool = {
        guard let group = try? PressureGroup() else { return false }
        return PressureTrigger(path: group.file, stall: LoadMonitor.stall) != nil
    }()

    init() throws {
        guard let mount = ControlGroups.mount else { throw TestError("There is no cgroup v2.") }
        path = "\(mount)/offstage-pressure-\(getpid())-\(UInt32.random(in: .min ... .max))"
        guard mkdir(path, 0o755) == 0 else { throw TestError.system("\(path) cannot be made") }
    }

    deinit { remove() }

    func remove() {
        // A program that was killed leaves its group slightly later.
        _ = try? eventually("an empty group", within: 20) { rmdir(path) == 0 || errno == ENOENT ? true : nil }
    }

    /// Starts two programs in the group that compete for one processor.
    func startRivals() throws -> [ChildProcess] {
        try (0..<2).map { _ in
            try ChildProcess(
                "/usr/bin/taskset",
                ["-c", "0", "/bin/sh", "-c", "echo $$ >\(path)/cgroup.procs; while :; do :; done"]
            )
        }
    }
}
