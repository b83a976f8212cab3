// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCore
package import OffstageRuntime
import Synchronization

/// Where the daemon's log goes: standard error, which is the log file, the journal or a terminal. From any thread; no
/// more than `LogBudget` lets through.
package final class DaemonLog: Sendable {
    private struct State {
        var budget = LogBudget()
        var remind: (@Sendable (Double) -> Void)?
        var reminded: Double?
    }

    private let descriptor: Int32
    private let form: LogForm
    private let state = Mutex(State())

    /// - Parameters:
    ///   - descriptor: where lines are written.
    ///   - journalStream: the value of `JOURNAL_STREAM`, by which the systemd journal says which file it reads.
    package init(descriptor: Int32 = STDERR_FILENO, journalStream: String?) {
        self.descriptor = descriptor
        var status = stat()
        let isJournal =
            fstat(descriptor, &status) == 0 && journalStream == "\(status.st_dev):\(status.st_ino)"
        form = isJournal ? .journal : .plain
    }

    /// A log whose records are written here.
    ///
    /// - Parameter least: the least level that is written. A person who asks for `debug` gets more lines than usual.
    /// - Returns: the log, for any thread.
    package func log(least: LogRecord.Level) -> Log {
        if least == .debug { state.withLock { $0.budget = LogBudget(limits: .debugging) } }
        return Log(least: least) { [self] in write($0) }
    }

    /// A record as it would be written at that time.
    func line(_ record: LogRecord, at time: Date) -> String { form.text(of: [.init(record)], at: time) }

    private func write(_ record: LogRecord) {
        let now = Self.uptime
        let (lines, due, remind) = state.withLock { state in
            let lines = state.budget.log(.init(record), now: now)
            let due = state.budget.due
            defer { state.reminded = due }
            return (lines, due, due != nil && due != state.reminded ? state.remind : nil)
        }
        print(lines)
        if let due { remind?(due) }
    }

    /// Sets what is called while lines are withheld, with the uptime in seconds at which to call `settle`.
    package func setReminder(_ remind: @escaping @Sendable (Double) -> Void) { state.withLock { $0.remind = remind } }

    /// Reports what was withheld.
    package func settle() {
        print(state.withLock { $0.budget.settle(now: Self.uptime) })
    }

    private func print(_ lines: [LogBudget.Line]) {
        guard !lines.isEmpty else { return }
        var text = form.text(of: lines, at: Date())
        // In one write, so that lines of other processes do not get into it.
        text.withUTF8 { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    private static var uptime: Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
