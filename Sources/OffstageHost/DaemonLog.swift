// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCore
package import OffstageRuntime
import Synchronization

/// The destination of the daemon's log: standard error, which is the log file, the journal or a terminal. Usable from
/// any thread; limited by `LogBudget`.
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
    ///   - descriptor: the file that lines are written to.
    ///   - journalStream: the value of `JOURNAL_STREAM`, which identifies the file that the systemd journal reads.
    package init(descriptor: Int32 = STDERR_FILENO, journalStream: String?) {
        self.descriptor = descriptor
        var status = stat()
        let isJournal =
            fstat(descriptor, &status) == 0 && journalStream == "\(status.st_dev):\(status.st_ino)"
        form = isJournal ? .journal : .plain
    }

    /// A log that writes its records here.
    ///
    /// - Parameter least: the lowest level that is written. A person who requests `debug` gets more lines than usual.
    /// - Returns: the log, for any thread.
    package func log(least: LogRecord.Level) -> Log {
        if least == .debug { state.withLock { $0.budget = LogBudget(limits: .debugging) } }
        return Log(least: least) { [self] in write($0) }
    }

    /// The text of a record as written at that time.
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

    /// Sets the function that is called while lines are withheld, with the uptime in seconds at which to call `settle`.
    package func setReminder(_ remind: @escaping @Sendable (Double) -> Void) { state.withLock { $0.remind = remind } }

    /// Reports the withheld lines.
    package func settle() {
        print(state.withLock { $0.budget.settle(now: Self.uptime) })
    }

    private func print(_ lines: [LogBudget.Line]) {
        guard !lines.isEmpty else { return }
        var text = form.text(of: lines, at: Date())
        // In one write, so that lines of other processes do not get mixed in.
        text.withUTF8 { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    private static var uptime: Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
