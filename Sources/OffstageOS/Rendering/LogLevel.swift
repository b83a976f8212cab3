// SPDX-License-Identifier: Apache-2.0

/// The level of an entry: Apple's levels, and a warning, which Apple treats as an error and which has its own priority
/// in the journal.
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

    /// The level's priority in syslog and the journal.
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

    /// The level's name in a line.
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

    /// The level that decides whether an entry is kept: Apple keeps warnings if it keeps errors.
    var kept: LogLevel { self == .warning ? .error : self }
}
