// SPDX-License-Identifier: Apache-2.0

/// The control groups of this machine (cgroups(7)).
package enum ControlGroups {
    /// Where cgroup v2 is mounted; nil if it is not.
    package static let mount = mountPoint()

    private static func mountPoint() -> String? {
        guard let mounts = try? TestFiles.text("/proc/self/mounts") else { return nil }
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count > 2, fields[2] == "cgroup2" { return String(fields[1]) }
        }
        return nil
    }
}
