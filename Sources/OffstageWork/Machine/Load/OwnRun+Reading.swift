// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

extension OwnRun {
    /// The kernel's ticks per second.
    static let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))

    /// The processor time that the app has used so far, in seconds: that of its cgroup, or otherwise of its process,
    /// the children that it has waited for, and those that still run. Nil once it has ended.
    package func seconds(in proc: SystemFolder) -> Double? {
        if let group, let seconds = Self.seconds(ofGroup: group) { return seconds }
        guard let main = Self.use(of: process.number, in: proc), main.startedAt == process.startedAt else { return nil }
        var sum = main.seconds
        var known: Set<Int32> = [process.number]
        var parents = [process.number]
        while let parent = parents.popLast() {
            for child in Self.children(of: parent, in: proc) where known.insert(child).inserted {
                sum += Self.use(of: child, in: proc)?.seconds ?? 0
                parents.append(child)
            }
        }
        return sum
    }

    private static func seconds(ofGroup group: String) -> Double? {
        let lines = SystemFolder(group).text("cpu.stat")?.split(separator: "\n") ?? []
        let field = lines.first { $0.hasPrefix("usage_usec ") }
        return field.flatMap { UInt64($0.dropFirst("usage_usec ".count)) }.map { Double($0) / 1_000_000 }
    }

    /// The fields of `/proc/PID/stat`: utime, stime, cutime, cstime, and when it was started.
    private static func use(of process: Int32, in proc: SystemFolder) -> (seconds: Double, startedAt: UInt64)? {
        // The name, in parentheses, may contain anything: the fields follow the last parenthesis.
        guard let text = proc.text("\(process)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let startedAt = UInt64(fields[19]) else { return nil }
        let used = fields[11...14].compactMap { Double($0) }.reduce(0, +)
        return (used / ticks, startedAt)
    }

    /// The children of all threads of a process; empty if the kernel does not list them.
    private static func children(of process: Int32, in proc: SystemFolder) -> [Int32] {
        proc.names(in: "\(process)/task").flatMap { thread in
            (proc.text("\(process)/task/\(thread)/children") ?? "").split(separator: " ").compactMap { Int32($0) }
        }
    }
}
