// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import Glibc
import OffstageCore
package import OffstageRuntime

/// Until when a daemon that was told to stop has come to its end.
///
/// A disk that does not answer, or one whose locks cannot be had, would keep it for as long as that lasts, and whoever
/// stops it would wait. To end where it stands loses nothing: what was promised is committed.
package struct StopDeadline {
    /// From the order to stop.
    let seconds: Double
    private let output: DaemonLog
    private let log: Log

    /// - Parameters:
    ///   - seconds: from the order to stop.
    ///   - output: gives the last line its form.
    ///   - log: the daemon's.
    package init(seconds: Double, output: DaemonLog, log: Log) {
        self.seconds = seconds
        self.output = output
        self.log = log
    }

    private static let status: Int32 = 74

    /// Starts the clock. The process ends with a sentence when it is still there then.
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
