// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// A cgroup v2 subtree that a test created, as a service manager delegates one.
final class TestSubtree: Sendable {
    let path: String

    /// Whether this user may create one.
    static let isPossible: Bool = {
        guard let subtree = try? TestSubtree() else { return false }
        return TestFiles.exists(subtree.path + "/cgroup.procs")
    }()

    init() throws {
        guard let mount = ControlGroups.mount else { throw TestError("There is no cgroup v2.") }
        path = "\(mount)/offstage-test-\(getpid())-\(UInt32.random(in: .min ... .max))"
        guard mkdir(path, 0o755) == 0 else { throw TestError.system("\(path) cannot be made") }
    }

    deinit {
        for name in TestFiles.names(in: path) { rmdir(path + "/" + name) }
        rmdir(path)
    }
}
