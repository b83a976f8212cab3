// SPDX-License-Identifier: Apache-2.0

/// Writes entries of one subsystem and category, like Apple's `Logger`. From any thread; it neither waits nor fails.
///
/// docs/logging.md describes where entries go and which are kept. The message of an entry that is not kept is not
/// created.
public struct Logger: Sendable {
    let log: OSLog

    /// - Parameters:
    ///   - subsystem: the subsystem of the entries, such as `com.example.app`.
    ///   - category: the category of the entries.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// Creates a logger without a subsystem.
    public init() { log = .default }

    /// - Parameter logObj: the subsystem and category of the entries.
    public init(_ logObj: OSLog) { log = logObj }

    /// Logs information needed to find out what went wrong.
    public func log(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.notice, message, file, line)
    }

    /// Logs a message at a level.
    public func log(
        level: OSLogType,
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(LogLevel(level), message, file, line)
    }

    /// The same as `debug`.
    public func trace(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.debug, message, file, line)
    }

    /// Logs information that is useful during development. Not kept by default (docs/logging.md).
    public func debug(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.debug, message, file, line)
    }

    /// Logs information that helps to find out what went wrong. Not kept by default (docs/logging.md).
    public func info(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.info, message, file, line)
    }

    /// Logs information needed to find out what went wrong.
    public func notice(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.notice, message, file, line)
    }

    /// Logs a possible problem. It is kept if errors are kept, and has the journal's priority for a warning.
    public func warning(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.warning, message, file, line)
    }

    /// Logs an error.
    public func error(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.error, message, file, line)
    }

    /// The same as `fault`.
    public func critical(
        _ message: @autoclosure () -> OSLogMessage,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        write(.fault, message, file, line)
    }

    /// Logs an error that is a bug in the program or the system.
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
