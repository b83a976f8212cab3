// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// The tests' privileges on this machine.
enum Privileges {
    static let isRoot = geteuid() == 0

    /// Whether file systems can be mounted.
    static let canMount: Bool = {
        guard isRoot, let directory = try? TemporaryDirectory() else { return false }
        defer { directory.remove() }
        guard let mount = try? MountedDisk(directory.path, megabytes: 1) else { return false }
        mount.unmount()
        return true
    }()

    /// Whether a command can be run as `nobody`, with read access to the built programs.
    static let canChangeUser: Bool = {
        guard isRoot, let program = try? BuiltProducts.path("offstage") else { return false }
        let result = try? ChildProcess.run(
            DaemonFixture.setpriv[0],
            DaemonFixture.setpriv.dropFirst() + [program, "--version"]
        )
        return result?.isSuccess == true
    }()

    /// Whether network namespaces can be created.
    static let canMakeNetworks: Bool = {
        guard isRoot, access("/usr/sbin/ip", X_OK) == 0 || access("/sbin/ip", X_OK) == 0 else { return false }
        let name = "ostprobe\(getpid())"
        guard let made = try? ChildProcess.run("/usr/sbin/ip", ["netns", "add", name]), made.isSuccess else {
            return false
        }
        _ = try? ChildProcess.run("/usr/sbin/ip", ["netns", "delete", name])
        return true
    }()
}
