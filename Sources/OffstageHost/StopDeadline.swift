// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import Glibc

/// Until when a daemon that was told to stop has come to its end.
///
/// A disk that does not answer, or one whose locks cannot be had, would keep it for as long as that lasts, and whoever
/// stops it would wait. To end where it stands loses nothing: what was promised is committed.
package struct StopDeadline {
    /// From the order to stop.
    let seconds: Double

    /// - Parameter seconds: from the order to stop.
    package init(seconds: Double) { self.seconds = seconds }

    private static let status: Int32 = 74

    /// Starts the clock. The process ends with a sentence when it is still there then.
    package func begin() {
        let sentence =
            "offstaged did not stop within \(Int(seconds)) s, since its store or its disk does not respond:"
            + " it ends now, and continues from what is committed when it is started again"
        let line = "\(Date(timeIntervalSinceNow: seconds).formatted(.iso8601)) \(sentence)\n"
        if offstage_end_after(seconds, Self.status, line) != 0 {
            DaemonLog.write("the stop has no deadline: \(String(cString: strerror(errno)))")
        }
    }
}
