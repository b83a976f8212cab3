// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// An entry in journald's native format (https://systemd.io/JOURNAL_NATIVE_PROTOCOL).
package struct JournalEntry: Sendable {
    package private(set) var bytes: [UInt8] = []

    /// - Parameters:
    ///   - entry: the entry.
    ///   - program: the program's name.
    package init(_ entry: LogEntry, program: String) {
        bytes.reserveCapacity(entry.message.utf8.count + 200)
        add("PRIORITY", "\(entry.level.priority)")
        add("SYSLOG_IDENTIFIER", program.redactedControls)
        if !entry.subsystem.isEmpty { add("SUBSYSTEM", entry.subsystem.redactedControls) }
        if !entry.category.isEmpty { add("CATEGORY", entry.category.redactedControls) }
        if let code = entry.code {
            add("CODE_FILE", code.file.description.redactedControls)
            add("CODE_LINE", "\(code.line)")
        }
        add("MESSAGE", entry.message.readableLines.joined(separator: "\n"))
    }

    /// Adds a field. A value with line breaks is preceded by its length, so none of its lines is mistaken for a field.
    private mutating func add(_ name: String, _ value: String) {
        bytes += name.utf8
        let value = Array(value.utf8)
        if value.contains(0x0A) {
            bytes.append(0x0A)
            let length = UInt64(value.count)
            for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: length >> UInt64(8 * place))) }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value
        bytes.append(0x0A)
    }
}
