// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// The running deferred tasks of a live table, and the user's input to cancel one of them.
package struct WatchedTasks {
    /// Whether keys are read.
    package var hasKeyboard = false
    /// The result of the last attempt to cancel a task.
    package var notice: String?
    private var running: [UInt64: TaskRow] = [:]
    /// The digits after the key `c`; nil if it was not pressed.
    private var typed: String?
    private let usesBlocks: Bool
    /// Whether keys are input for the question for a task.
    package var isTyping: Bool { typed != nil }

    package init(usesBlocks: Bool) {
        self.usesBlocks = usesBlocks
    }

    /// Starts over with these rows.
    package mutating func replace(_ rows: [TaskRow]) {
        running = [:]
        for row in rows { apply(.changed(row)) }
    }

    package mutating func apply(_ event: TaskEvent) {
        switch event {
        case .changed(let row):
            let number = row.record.request.number
            running[number] = row.record.phase == .pending ? nil : row
        case .removed(let number): running[number] = nil
        }
    }

    /// Handles a key. A special key counts as any other.
    package mutating func press(_ key: Key) -> UInt64? {
        if case .character(let byte) = key { press(key: byte) } else { press(key: 27) }
    }

    /// Handles a key: `c`, then digits, then Enter; any other key aborts.
    ///
    /// - Returns: the task to cancel, once it has been entered.
    package mutating func press(key: UInt8) -> UInt64? {
        guard let digits = typed else {
            notice = nil
            if key == UInt8(ascii: "c"), !running.isEmpty { typed = "" }
            return nil
        }
        switch key {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            if digits.count < 18 { typed = digits + String(UnicodeScalar(key)) }
            return nil
        case 8, 127:
            typed = String(digits.dropLast())
            return nil
        case 10, 13:
            typed = nil
            if digits.isEmpty, running.count == 1 { return running.keys.first }
            guard let number = UInt64(digits), running[number] != nil else {
                notice = digits.isEmpty ? nil : "No task \(digits) is running."
                return nil
            }
            return number
        default:
            typed = nil
            return nil
        }
    }

    /// Lines below the transfers; empty if nothing runs and there is no notice.
    package func lines(width: Int, height: Int, usesColour: Bool) -> [String] {
        let rows = running.values.sorted { $0.record.request.number < $1.record.request.number }
        var lines: [String] = []
        if !rows.isEmpty {
            let room = max(1, height - 2)
            let shown = rows.prefix(room)
            lines = [Style.faint("Running tasks:", usesColour)]
            lines += shown.map { line($0, width: width, usesColour: usesColour) }
            if rows.count > room { lines.append("… and \(rows.count - room) more") }
        }
        if let typed {
            lines.append(cut("Cancel which task? \(typed)_   (Enter; any other key aborts)", width))
        } else if let notice {
            lines.append(cut(notice, width))
        } else if !rows.isEmpty, hasKeyboard {
            lines.append(Style.faint(cut("c cancels one", width), usesColour))
        }
        return lines
    }

    /// `12  Export: 9 of 20  [█████░░░░░]  45%`, or the name of a task that reports no progress.
    private func line(_ row: TaskRow, width: Int, usesColour: Bool) -> String {
        let request = row.record.request
        let title = row.progress?.title ?? request.title
        let subtitle = row.progress?.subtitle ?? request.subtitle
        let words = [title, subtitle].filter { !$0.isEmpty }.joined(separator: ": ")
        let name = TaskText.name(request.identifier, of: request.app)
        let text = "\(request.number)  " + (words.isEmpty ? name : words).redactedControls
        let total = row.progress.flatMap { $0.total > 0 ? $0.total : nil }
        guard let progress = row.progress,
            let percent = Format.percent(done: progress.completed, total: total)
        else {
            return cut(words.isEmpty ? "\(text)  \(row.reason.summary)" : "\(text)  (\(name))", width)
        }
        let tail = String(repeating: " ", count: percent < 10 ? 2 : percent < 100 ? 1 : 0) + "\(percent)%"
        let length = max(0, min(30, width - 1 - 4 - 6 - 24))
        guard length >= 5 else { return cut("\(tail)  \(text)", width) }
        let filled = length * percent / 100
        let full = String(repeating: usesBlocks ? "█" : "#", count: filled)
        let empty = String(repeating: usesBlocks ? "░" : "-", count: length - filled)
        let left = DisplayWidth.truncated(text, to: max(1, width - 1 - length - 10))
        return "\(left)  [\(Style.good(full, usesColour))\(empty)]  \(tail)"
    }

    /// Truncates a line. One column is left free, so no terminal wraps the line.
    private func cut(_ text: String, _ width: Int) -> String { DisplayWidth.truncated(text, to: max(1, width - 1)) }
}
