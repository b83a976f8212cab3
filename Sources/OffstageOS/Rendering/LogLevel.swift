// SPDX-License-Identifier: Apache-2.0

/// How much an entry matters: Apple's levels, and a warning, which is an error to Apple and has a number of its own in the
/// journal.
package enum LogLevel: Int, Sendable, CaseIterable {
    case debug, info, notice, warning, error, fault

    package init(_ type: OSLogType) {
        switch type {
        case .debug: self = .debug
        case .info: self = .info
        case .error: self = .error
        case .fault: self = .fault
        default: self = .notice
        }
    }

    /// The number that syslog and the journal have for it.
    package var priority: Int {
        switch self {
        case .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .fault: 2
        }
    }

    /// As it stands in a line.
    package var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        case .fault: "fault"
        }
    }

    /// The level that decides whether it is kept: Apple keeps a warning when it keeps errors.
    var kept: LogLevel { self == .warning ? .error : self }
}
