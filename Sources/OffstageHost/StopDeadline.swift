// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import Glibc
import OffstageCore
package import OffstageRuntime

/// The deadline by which a daemon that was ordered to stop must end.
///
/// An unresponsive disk, or a lock that cannot be acquired, would delay the stop indefinitely. Ending at once loses
/// nothing, because everything promised is committed.
package struct StopDeadline {
    /// Counted from the order to stop.
    let seconds: Double
    private let output: DaemonLog
    private let log: Log

    /// - Parameters:
    ///   - seconds: counted from the order to stop.
    ///   - output: formats the last line.
    ///   - log: the daemon's log.
    package init(seconds: Double, output: DaemonLog, log: Log) {
        self.seconds = seconds
        self.output = output
        self.log = log
    }

    private static let status: Int32 = 74

    /// Starts the clock. If the process is still running at the deadline, it writes a line and ends.
    package func begin() {
        let record = LogRecord(
            .error,
            "offstaged did not stop in time, since its store or its disk does not respond: it ends now, and continues from what is committed when it is started again",
            ["seconds": Int(seconds)]
        )
        let line = output.line(record, at: Date(timeIntervalSinceNow: seconds))
        if offstage_end_after(seconds, Self.status, line) != 0 {
            log.error("the stop has no deadline", ["reason": ErrorNumber(errno)])
        }
    }
}
