// SPDX-License-Identifier: Apache-2.0

/// Writes entries of one subsystem and category, as Apple's `Logger`. From any thread; it neither waits nor fails.
///
/// Where entries go, and which are kept, docs/logging.md says. The message of an entry that is not kept is not made.
public struct Logger: Sendable {
    let log: OSLog

    /// - Parameters:
    ///   - subsystem: whose entries they are, such as `com.example.app`.
    ///   - category: what they are about.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// For entries of no subsystem.
    public init() { log = .default }

    /// - Parameter logObj: whose subsystem and category entries have.
    public init(_ logObj: OSLog) { log = logObj }

    /// Logs what is needed to find out what went wrong.
    public func log(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.notice, message, file, line)
    }

    /// Logs what matters as much as `level` says.
    public func log(
        level: OSLogType,
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(LogLevel(level), message, file, line)
    }

    /// As `debug`, by another name.
    public func trace(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.debug, message, file, line)
    }

    /// Logs what is of use while a program is written. Not kept unless asked for (docs/logging.md).
    public func debug(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.debug, message, file, line)
    }

    /// Logs what helps to find out what went wrong. Not kept unless asked for (docs/logging.md).
    public func info(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.info, message, file, line)
    }

    /// Logs what is needed to find out what went wrong.
    public func notice(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.notice, message, file, line)
    }

    /// Logs what may go wrong. It is kept when errors are, and has the journal's number for a warning.
    public func warning(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.warning, message, file, line)
    }

    /// Logs what went wrong.
    public func error(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.error, message, file, line)
    }

    /// As `fault`, by another name.
    public func critical(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.fault, message, file, line)
    }

    /// Logs what went wrong, and is a mistake of the program or the system.
    public func fault(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.fault, message, file, line)
    }

    private func write(_ level: LogLevel, _ message: () -> OSLogMessage, _ file: StaticString, _ line: UInt) {
        guard log.keeps(level) else { return }
        log.write(level, message().text, LogEntry.Code(file: file, line: line))
    }
}
