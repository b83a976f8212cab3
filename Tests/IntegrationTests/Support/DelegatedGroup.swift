// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// A subtree of cgroup v2 for one test, removed with it: needs root.
final class DelegatedGroup {
    let path: String

    /// The mount point of a writable cgroup v2; nil if there is none.
    static let root: String? = {
        guard Privileges.isRoot, let mount = ControlGroups.mount else { return nil }
        let probe = mount + "/offstage-probe-\(getpid())"
        guard mkdir(probe, 0o755) == 0 else { return nil }
        defer { rmdir(probe) }
        return access(probe + "/cgroup.freeze", F_OK) == 0 ? mount : nil
    }()

    init() throws {
        guard let root = Self.root else { throw TestError("There is no cgroup v2 that may be written.") }
        path = root + "/offstage-tests-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        guard mkdir(path, 0o755) == 0 else { throw TestError.system("\(path) cannot be made") }
    }

    deinit {
        for group in (try? appGroups) ?? [] {
            // Any process left in it was started by the test's daemon.
            try? TestFiles.write("1", to: group + "/cgroup.kill")
            _ = try? eventually("the group is empty") { rmdir(group) == 0 || errno == ENOENT ? true : nil }
        }
        rmdir(path)
    }

    var appGroups: [String] {
        get throws { TestFiles.names(in: path).filter { $0.hasPrefix("offstage-") }.map { "\(path)/\($0)" } }
    }

    /// Whether the process's group is frozen.
    func isFrozen(withProcess process: Int32) throws -> Bool {
        for group in try appGroups {
            let members = try TestFiles.text(group + "/cgroup.procs").split(separator: "\n")
            guard members.contains("\(process)") else { continue }
            return try TestFiles.text(group + "/cgroup.events").contains("frozen 1")
        }
        return false
    }
}
