// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Writes records to a given log. From any thread.
package struct Log: Sendable {
    package typealias Sink = @Sendable (LogRecord) -> Void

    private let least: LogRecord.Level
    private let sink: Sink

    /// - Parameters:
    ///   - least: records below this level are neither made nor written.
    ///   - sink: receives the records.
    package init(least: LogRecord.Level = .notice, sink: @escaping Sink) {
        self.least = least
        self.sink = sink
    }

    /// A bug of Offstage.
    package func fault(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        write(.fault, message, metadata)
    }

    /// Something outside the daemon is wrong: bad input, stale state, a system that refuses.
    package func error(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        write(.error, message, metadata)
    }

    /// The daemon's own history, as a bug report needs it.
    package func notice(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        write(.notice, message, metadata)
    }

    /// A step of the daemon's work. Its values are computed only if this level is logged.
    package func debug(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        write(.debug, message, metadata)
    }

    private func write(_ level: LogRecord.Level, _ message: StaticString, _ metadata: () -> LogMetadata) {
        if level >= least { sink(LogRecord(level, message, metadata())) }
    }
}
