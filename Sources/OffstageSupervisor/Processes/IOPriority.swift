// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageFiles

/// An I/O priority as ioprio_set(2) has it. Lowering and restoring it needs no privilege, other than a nice value's.
struct IOPriority: Equatable {
    let value: Int32

    /// None of its own: the kernel goes by the nice value.
    static let unset = IOPriority(value: 0)
    /// The last of the best-effort class. The idle class could starve an app whose time runs out meanwhile.
    static let background = IOPriority(value: 2 << 13 | 7)

    init(value: Int32) { self.value = value }

    static func of(_ thread: Int32) -> IOPriority? {
        let value = offstage_io_priority(thread)
        return value >= 0 ? IOPriority(value: value) : nil
    }

    /// Those of all threads of a process, by their numbers.
    static func all(of process: Int32) -> [Int32: Int32] {
        var priorities: [Int32: Int32] = [:]
        for thread in SmallFile.numbers(in: "/proc/\(process)/task") { priorities[thread] = of(thread)?.value }
        return priorities
    }

    /// Sets that of all threads of a process, or of its whole group.
    static func set(_ priority: IOPriority, process: Int32, isGroup: Bool) {
        if isGroup, offstage_set_io_priority(process, 1, priority.value) == 0 { return }
        for thread in SmallFile.numbers(in: "/proc/\(process)/task") { priority.set(thread: thread) }
    }

    func set(thread: Int32) { _ = offstage_set_io_priority(thread, 0, value) }
}
