// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import Synchronization

/// The daemon's log: standard error, which is the log file or the journal. From any thread; no more than `LogBudget`
/// lets through.
package final class DaemonLog: Sendable {
    package static let shared = DaemonLog()

    private struct State {
        var budget = LogBudget()
        var remind: (@Sendable (Double) -> Void)?
        var reminded: Double?
    }

    private let state = Mutex(State())

    /// One line, whatever is in the text.
    package static func write(_ text: String) { shared.write(text.redactedControls) }

    private func write(_ text: String) {
        let now = Self.uptime
        let (lines, due, remind) = state.withLock { state in
            let lines = state.budget.log(text.split(whereSeparator: \.isNewline).joined(separator: " "), now: now)
            let due = state.budget.due
            defer { state.reminded = due }
            return (lines, due, due != nil && due != state.reminded ? state.remind : nil)
        }
        Self.print(lines)
        if let due { remind?(due) }
    }

    /// Names what has `settle` called at a time, uptime in seconds, when lines are withheld.
    package func setReminder(_ remind: @escaping @Sendable (Double) -> Void) { state.withLock { $0.remind = remind } }

    /// Says what was withheld.
    package func settle() {
        Self.print(state.withLock { $0.budget.settle(now: Self.uptime) })
    }

    private static func print(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        let time = Date().formatted(.iso8601)
        var text = lines.map { "\(time) \($0)\n" }.joined()
        // In one write.
        text.withUTF8 { _ = Glibc.write(2, $0.baseAddress, $0.count) }
    }

    private static var uptime: Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
