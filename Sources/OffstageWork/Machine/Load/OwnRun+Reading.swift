// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

extension OwnRun {
    /// The kernel's ticks per second.
    static let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))

    /// The processor time that the app has used so far, in seconds: that of its cgroup or, without one, of its process,
    /// the children that it has waited for, and its running children, as far as the walk over them goes. Nil once the
    /// app has ended.
    package func seconds(in proc: SystemFolder) -> Double? {
        if let group, let seconds = Self.seconds(ofGroup: group) { return seconds }
        guard let main = Self.use(of: process.number, in: proc), main.startedAt == process.startedAt else { return nil }
        var sum = main.seconds
        var known: Set<Int32> = [process.number]
        var parents = [process.number]
        var left = Self.mostFiles
        while let parent = parents.popLast() {
            for child in Self.children(of: parent, in: proc, &left) where known.insert(child).inserted {
                guard left > 0 else { return sum }
                left -= 1
                // Its number may have been reused by another process since the list was read.
                guard let use = Self.use(of: child, in: proc), use.parent == parent else { continue }
                sum += use.seconds
                parents.append(child)
            }
        }
        return sum
    }

    /// The most files that are read for one app, on the daemon's loop: an app may have any number of threads and
    /// processes. The load of those beyond the limit counts as that of other programs.
    package static let mostFiles = 4096

    private static func seconds(ofGroup group: String) -> Double? {
        let lines = SystemFolder(group).text("cpu.stat")?.split(separator: "\n") ?? []
        let field = lines.first { $0.hasPrefix("usage_usec ") }
        return field.flatMap { UInt64($0.dropFirst("usage_usec ".count)) }.map { Double($0) / 1_000_000 }
    }

    private struct Use {
        var seconds: Double
        var startedAt: UInt64
        var parent: Int32
    }

    /// The fields of `/proc/PID/stat`: utime, stime, cutime, cstime, the start time, and the parent.
    private static func use(of process: Int32, in proc: SystemFolder) -> Use? {
        // The name, in parentheses, may contain anything: the fields follow the last parenthesis.
        guard let text = proc.text("\(process)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let startedAt = UInt64(fields[19]), let parent = Int32(fields[1]) else { return nil }
        let used = fields[11...14].compactMap { UInt64(digits: $0) }.map { Double($0) }.reduce(0, +)
        return Use(seconds: used / ticks, startedAt: startedAt, parent: parent)
    }

    /// The children of all threads of a process, within the limit on files; empty if the kernel does not list them.
    private static func children(of process: Int32, in proc: SystemFolder, _ left: inout Int) -> [Int32] {
        let threads = proc.names(in: "\(process)/task").prefix(left)
        left -= threads.count
        return threads.flatMap { thread in
            (proc.words("\(process)/task/\(thread)/children") ?? []).compactMap { Int32($0) }
        }
    }
}
