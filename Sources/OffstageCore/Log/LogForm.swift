// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// How lines of the log are written.
package enum LogForm: Sendable, Hashable {
    /// For a file or a terminal: the time, the level and the record.
    case plain
    /// For standard error read by the systemd journal, which adds its own time: a priority as described in
    /// sd-daemon(3), and the record.
    case journal

    /// The lines as text, each with its line break.
    package func text(of lines: [LogBudget.Line], at time: Date) -> String {
        switch self {
        case .plain:
            let time = time.formatted(.iso8601)
            return lines.map { "\(time) \($0.level.rawValue) \($0.text)\n" }.joined()
        case .journal:
            return lines.map { "<\(Self.priority($0.level))>\($0.text)\n" }.joined()
        }
    }

    /// A number of syslog(3).
    private static func priority(_ level: LogRecord.Level) -> Int {
        switch level {
        case .fault: 2
        case .error: 3
        case .notice: 5
        case .debug: 7
        }
    }
}
