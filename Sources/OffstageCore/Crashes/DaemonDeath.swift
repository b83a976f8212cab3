// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A trap of the daemon, from the mark that the next one found.
package struct DaemonDeath: Sendable, Hashable, Codable {
    package var at: Moment
    /// The daemon's version.
    package var version: String
    package var signal: Int32
    /// The thread that trapped; empty if it had no name.
    package var thread: String
    /// The place in the program: `offstaged+0x1a2b3c`, for a person who has that build.
    package var place: String
    /// The thread's work; nil if unknown.
    package var work: DaemonWork?
    /// The transfers that had an attempt under way.
    package var underWay: [TransferID]

    package init(
        at: Moment,
        version: String,
        signal: Int32,
        thread: String,
        place: String,
        work: DaemonWork?,
        underWay: [TransferID]
    ) {
        self.at = at
        self.version = version
        self.signal = signal
        self.thread = thread
        self.place = place
        self.work = work
        self.underWay = underWay
    }

    /// A line for a report to the developers. It contains no URL, path of a person's file or other secret.
    package var line: String {
        let doing = work?.summary ?? "nothing that is known, with \(Self.count(underWay.count)) under way"
        let thread = thread.isEmpty ? "a thread" : "the thread '\(thread.redactedControls)'"
        // The date comes from a file that others may have written, so it may be impossible.
        let isSane = abs(at.wall.timeIntervalSince1970) < 1e11
        let date = (isSane ? at.wall : Date(timeIntervalSince1970: 0)).formatted(.iso8601)
        let position = "\(thread) at \(place.redactedControls)"
        return
            "offstaged \(version.redactedControls) crashed on \(date): \(Self.name(of: signal)) in \(position), \(doing)."
    }

    private static func count(_ transfers: Int) -> String { transfers == 1 ? "1 transfer" : "\(transfers) transfers" }

    private static func name(of signal: Int32) -> String {
        switch signal {
        case 4: "SIGILL"
        case 5: "SIGTRAP"
        case 6: "SIGABRT"
        case 7: "SIGBUS"
        case 8: "SIGFPE"
        case 11: "SIGSEGV"
        default: "signal \(signal)"
        }
    }
}
