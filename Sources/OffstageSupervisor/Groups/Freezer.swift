// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageFiles

/// A subtree of cgroup v2 that this user may write, with a group for each app that the daemon launched. The processes
/// of a group are stopped and prioritized together.
///
/// A process can only start in a group: one started elsewhere may not be moved here. Calls block for one or two system
/// calls, and may come from any thread.
package struct Freezer: Sendable, Equatable {
    /// The subtree's folder.
    package let subtree: String
    /// Whether its groups have a weight, because it delegates the cpu controller.
    package let hasWeights: Bool
    /// Where cgroup v2 is mounted.
    private let mount: String

    /// The variable that names a subtree, overriding any delegated one.
    package static let variable = "OFFSTAGE_CGROUP"
    /// The share of the CPU in background and in foreground, where 100 is the default.
    private static let weights = (background: 20, foreground: 100)

    /// The subtree that `OFFSTAGE_CGROUP` names; otherwise the daemon's own group, or its parent, if its service
    /// manager delegated it. Nil if there is none, or it is not writable.
    package static func find(environment: [String: String]) -> Freezer? {
        guard let mount = mountPoint() else { return nil }
        let own = path(of: "self", mount: mount)
        if let named = environment[variable], !named.isEmpty {
            let freezer = Freezer(subtree: named, mount: mount, own: own)
            freezer?.leaveAppGroup()
            return freezer
        }
        guard let own else { return nil }
        var candidates = [own]
        // A service manager may put the daemon in a group within its unit's group; the parent of a unit's group belongs
        // to another unit.
        if ![".service", ".scope", ".slice"].contains(where: own.hasSuffix) {
            candidates.append(String(own[..<(own.lastSlash ?? own.startIndex)]))
        }
        let delegated = candidates.first { (path: String) in offstage_is_delegated_cgroup(path) == 1 }
        let freezer = delegated.flatMap { Freezer(subtree: $0, mount: mount, own: own) }
        freezer?.leaveAppGroup()
        return freezer
    }

    private init?(subtree: String, mount: String, own: String?) {
        guard subtree.hasPrefix(mount + "/"), access(subtree, W_OK | X_OK) == 0,
            access(subtree + "/cgroup.procs", W_OK) == 0
        else { return nil }
        self.subtree = subtree
        self.mount = mount
        let control = subtree + "/cgroup.subtree_control"
        // A group that delegates a controller cannot contain processes, so the next daemon could not start there.
        if subtree != own, SmallFile.words(subtree + "/cgroup.controllers")?.contains("cpu") == true {
            _ = SmallFile.write("+cpu", to: control)
        }
        hasWeights = SmallFile.words(control)?.contains("cpu") == true
    }

    /// The group of an app, made if necessary.
    ///
    /// - Returns: its folder, for `AppLauncher.spawn`; nil if it cannot be made.
    package func make(_ app: String) -> String? {
        let path = subtree + "/offstage-" + AppIdentity.folderName(for: app)
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { return nil }
        // A frozen group would freeze a process that starts in it.
        thaw(path)
        setWeight(path, isBackground: false)
        return path
    }

    /// The app's group of a process. Nil if it was not launched in this subtree, or if this process is in the same
    /// group, as when an app has started it: once frozen, no process could thaw it.
    package func group(of process: Int32) -> String? {
        guard let found = appGroup(of: String(process)), found != appGroup(of: "self") else { return nil }
        return found
    }

    /// Leaves an app's group, if an app started this process: for the subtree itself or, if a group that delegates
    /// controllers cannot contain processes, for a group beside the apps' groups.
    private func leaveAppGroup() {
        guard appGroup(of: "self") != nil else { return }
        if SmallFile.write("\(getpid())", to: subtree + "/cgroup.procs") == 0 { return }
        let beside = subtree + "/offstaged"
        guard mkdir(beside, 0o755) == 0 || errno == EEXIST else { return }
        _ = SmallFile.write("\(getpid())", to: beside + "/cgroup.procs")
    }

    private func appGroup(of process: String) -> String? {
        guard let path = Self.path(of: process, mount: mount), path.hasPrefix(subtree + "/offstage-") else {
            return nil
        }
        let name = path.dropFirst(subtree.utf8.count + 1).prefix { $0 != "/" }
        return subtree + "/" + name
    }

    /// Stops all processes of a group, with a delay of some milliseconds; see `isFrozen`. Returns whether it can.
    @discardableResult package func freeze(_ group: String) -> Bool {
        SmallFile.write("1", to: group + "/cgroup.freeze") == 0
    }

    /// Continues all processes of a group.
    @discardableResult package func thaw(_ group: String) -> Bool {
        SmallFile.write("0", to: group + "/cgroup.freeze") == 0
    }

    /// Whether all processes of a group are stopped; nil if there is no such group.
    package func isFrozen(_ group: String) -> Bool? {
        guard let words = SmallFile.words(group + "/cgroup.events"), let mark = words.firstIndex(of: "frozen"),
            mark + 1 < words.count
        else { return nil }
        return words[mark + 1] == "1"
    }

    /// Gives a group its share of the CPU, if the subtree has that controller.
    package func setWeight(_ group: String, isBackground: Bool) {
        guard hasWeights else { return }
        let weight = isBackground ? Self.weights.background : Self.weights.foreground
        _ = SmallFile.write(String(weight), to: group + "/cpu.weight")
    }

    /// Removes a group whose processes have all ended. Returns whether it was removed.
    @discardableResult package func remove(_ group: String) -> Bool {
        rmdir(group) == 0 || errno == ENOENT
    }

    private static func mountPoint() -> String? {
        guard let bytes = SmallFile.read("/proc/self/mounts", limit: 4 << 20) else { return nil }
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            if fields.count > 2, fields[2] == "cgroup2" { return fields[1] }
        }
        return nil
    }

    /// The folder of a process's group.
    private static func path(of process: String, mount: String) -> String? {
        guard let bytes = SmallFile.read("/proc/\(process)/cgroup", limit: 1 << 16) else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        guard let path = lines.first(where: { $0.hasPrefix("0::/") })?.dropFirst(3) else { return nil }
        return path == "/" ? mount : mount + path
    }
}
