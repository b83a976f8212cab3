// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
import OffstageFiles

/// The contents of `/proc/PID/stat` (proc_pid_stat(5)).
package struct ProcessStatus: Sendable, Equatable {
    package var identity: ProcessIdentity
    /// `R`, `S`, `D`, `T` for stopped, `t` for traced, `Z` for a zombie, and others.
    package var state: UInt8
    package var parent: Int32
    package var group: Int32
    package var session: Int32
    /// The foreground group of its terminal; -1 without one.
    package var terminalGroup: Int32
    package var threads: Int

    package var isStopped: Bool { state == UInt8(ascii: "T") || state == UInt8(ascii: "t") }

    /// Dead, but not reaped by its parent. With threads left, only its first thread has ended.
    package var hasEnded: Bool { (state == UInt8(ascii: "Z") || state == UInt8(ascii: "X")) && threads <= 1 }

    /// Reads it. Returns nil if there is no such process.
    package static func read(_ process: Int32) -> ProcessStatus? { read(process, at: "/proc/\(process)/stat") }

    /// Whether it does not run until it is continued: stopped, or waiting for a stopped process while having a pending
    /// stop itself.
    ///
    /// That happens in vfork(2), and lasts forever if the child was stopped before it executed another program.
    package func isHalted() -> Bool {
        guard state == UInt8(ascii: "D") else { return isStopped }
        // The signal is either pending for this thread, or was taken by another thread, and stops all threads.
        let folder = "/proc/\(identity.number)"
        let lines = SmallFile.read(folder + "/status", limit: 1 << 16)?.split(separator: UInt8(ascii: "\n")) ?? []
        let isPending = lines.map { String(decoding: $0, as: UTF8.self) }.contains { line in
            guard line.hasPrefix("SigPnd:") || line.hasPrefix("ShdPnd:"),
                let signals = line.split(separator: "\t").last.flatMap({ UInt64($0, radix: 16) })
            else { return false }
            return signals & 1 << UInt64(SIGSTOP - 1) != 0
        }
        return isPending
            || SmallFile.numbers(in: folder + "/task").contains { thread in
                ProcessStatus.read(thread, at: "\(folder)/task/\(thread)/stat")?.isStopped == true
            }
    }

    /// The process that traces another, such as a debugger; nil for none.
    package static func tracer(of process: Int32) -> Int32? {
        let lines =
            SmallFile.read("/proc/\(process)/status", limit: 1 << 16)?.split(separator: UInt8(ascii: "\n")) ?? []
        let key = Array("TracerPid:".utf8)
        guard let line = lines.first(where: { $0.starts(with: key) }),
            let tracer = Int32(String(decoding: line.dropFirst(key.count), as: UTF8.self).filter(\.isNumber)),
            tracer > 0
        else { return nil }
        return tracer
    }

    private static func read(_ process: Int32, at path: String) -> ProcessStatus? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        return ProcessStatus(process: process, stat: buffer[..<max(0, count)])
    }

    /// - Parameters:
    ///   - process: its number.
    ///   - stat: the contents of `/proc/PID/stat`, or their beginning.
    package init?(process: Int32, stat: ArraySlice<UInt8>) {
        // The name, in parentheses, may contain anything: the fields follow the last parenthesis.
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: UInt8(ascii: " ")).prefix(20)
            .map { String(decoding: $0, as: UTF8.self) }
        // checked: conversions from text that may fail, of as many fields as were counted
        guard fields.count == 20, let state = fields[0].utf8.first, let parent = Int32(fields[1]),
            let group = Int32(fields[2]), let session = Int32(fields[3]), let terminalGroup = Int32(fields[5]),
            let threads = Int(fields[17]),
            let startedAt = UInt64(fields[19])
        else { return nil }
        identity = ProcessIdentity(number: process, startedAt: startedAt)
        self.state = state
        self.parent = parent
        self.group = group
        self.session = session
        self.terminalGroup = terminalGroup
        self.threads = threads
    }
}
