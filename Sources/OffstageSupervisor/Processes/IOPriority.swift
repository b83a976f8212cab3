// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageFiles

/// An I/O priority of ioprio_set(2). Unlike a nice value, it can be lowered and restored without privilege.
struct IOPriority: Equatable {
    let value: Int32

    /// No explicit priority: the kernel uses the nice value.
    static let unset = IOPriority(value: 0)
    /// The lowest of the best-effort class. The idle class could starve an app while its time runs out.
    static let background = IOPriority(value: 2 << 13 | 7)

    init(value: Int32) { self.value = value }

    static func of(_ thread: Int32) -> IOPriority? {
        let value = offstage_io_priority(thread)
        return value >= 0 ? IOPriority(value: value) : nil
    }

    /// The priorities of all threads of a process, by thread number.
    static func all(of process: Int32) -> [Int32: Int32] {
        var priorities: [Int32: Int32] = [:]
        for thread in SmallFile.numbers(in: "/proc/\(process)/task") { priorities[thread] = of(thread)?.value }
        return priorities
    }

    /// Sets the priority of all threads of a process, or of its whole group.
    static func set(_ priority: IOPriority, process: Int32, isGroup: Bool) {
        if isGroup, offstage_set_io_priority(process, 1, priority.value) == 0 { return }
        for thread in SmallFile.numbers(in: "/proc/\(process)/task") { priority.set(thread: thread) }
    }

    func set(thread: Int32) { _ = offstage_set_io_priority(thread, 0, value) }
}
