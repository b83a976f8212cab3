// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// An entry formatted for standard error, on one line:
/// `2026-11-23 04:35:17.250000Z MyApp[4711] error com.example.app:network: it broke`.
package struct ConsoleLine: Sendable {
    package let text: String

    /// - Parameters:
    ///   - entry: the entry; its line breaks are shown as `\n`.
    ///   - time: when it was logged.
    ///   - program: the program's name.
    ///   - processID: the process identifier.
    ///   - isJournal: whether the journal reads standard error: it adds the time itself, and expects a priority.
    package init(_ entry: LogEntry, time: UTCTime, program: String, processID: Int32, isJournal: Bool = false) {
        let message = entry.message.readableLines.joined(separator: "\\n")
        let place = [entry.subsystem, entry.category].filter { !$0.isEmpty }.map(\.redactedControls)
            .joined(separator: ":")
        let named = place.isEmpty ? message : "\(place): \(message)"
        text =
            isJournal
            ? "<\(entry.level.priority)>\(named)\n"
            : "\(time.text) \(program.redactedControls)[\(processID)] \(entry.level.name) \(named)\n"
    }
}
