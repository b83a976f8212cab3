// SPDX-License-Identifier: Apache-2.0

/// Limits the growth of the daemon's log: only so many lines of a kind are written in a period, and the others are
/// counted. Two lines are of one kind if they differ only in numbers.
package struct LogBudget: Sendable {
    package struct Limits: Sendable, Hashable {
        /// Lines of one kind in a period.
        package var linesOfKind = 20
        /// Bytes in a period, whatever their kinds.
        package var bytes = 256 << 10
        /// Kinds that are distinguished; the rest are one kind.
        package var kinds = 256
        /// Bytes of one line; a longer one is cut.
        package var line = 4096
        /// Seconds.
        package var period = 600.0

        package init() {}

        /// For a person who asked for every step: no limit on the lines of one kind.
        package static var debugging: Limits {
            var limits = Limits()
            limits.linesOfKind = .max
            limits.bytes = 16 << 20
            return limits
        }
    }

    /// A record in one line, with its level.
    package struct Line: Sendable, Hashable {
        package let level: LogRecord.Level
        /// Without a line break.
        package let text: String

        package init(_ level: LogRecord.Level, _ text: String) {
            self.level = level
            self.text = text
        }

        package init(_ record: LogRecord) { self.init(record.level, record.text) }
    }

    private struct Kind {
        var lines = 0
        var withheld = 0
        var sample = Line(.debug, "")
    }

    private let limits: Limits
    private var kinds: [String: Kind] = [:]
    private var began: Double?
    private var bytes = 0

    package init(limits: Limits = .init()) { self.limits = limits }

    /// When to report the withheld lines; nil if there are none. Uptime in seconds.
    package var due: Double? {
        guard let began, kinds.values.contains(where: { $0.withheld > 0 }) else { return nil }
        return began + limits.period
    }

    /// Counts a line to be logged.
    ///
    /// - Parameters:
    ///   - line: the line to log.
    ///   - now: uptime in seconds.
    /// - Returns: the lines to write now: this one unless it is withheld, after a summary of a period that is over.
    package mutating func log(_ line: Line, now: Double) -> [Line] {
        var lines = isOver(at: now) ? settle(now: now) : []
        if began == nil { began = now }
        let line = Line(line.level, shortened(line.text))
        let name = name(of: line.text)
        var kind = kinds[name] ?? Kind()
        if kind.lines < limits.linesOfKind, bytes + line.text.utf8.count <= limits.bytes {
            kind.lines += 1
            bytes += line.text.utf8.count
            lines.append(line)
        } else {
            if kind.withheld == 0 { kind.sample = Line(line.level, String(line.text.prefix(120))) }
            kind.withheld += 1
        }
        kinds[name] = kind
        return lines
    }

    /// Ends the period, and returns the lines to write about those withheld in it.
    package mutating func settle(now: Double) -> [Line] {
        let withheld = kinds.values.filter { $0.withheld > 0 }.sorted { $0.sample.text < $1.sample.text }
        kinds = [:]
        bytes = 0
        began = nil
        // Only some kinds: if there are many, the number of lines is enough.
        var lines = withheld.prefix(20).map { kind in
            guard kind.withheld > 1 else { return kind.sample }
            return Line(kind.sample.level, "… and \(kind.withheld) more like it: \(kind.sample.text)")
        }
        if withheld.count > 20 {
            let others = withheld.dropFirst(20)
            let level = others.map(\.sample.level).max() ?? .notice
            lines.append(Line(level, "… and \(others.reduce(0) { $0 + $1.withheld }) more of other kinds"))
        }
        return lines
    }

    private func isOver(at now: Double) -> Bool {
        // Otherwise, lines would be withheld forever after the clock was set back.
        began.map { now >= $0 + limits.period || now < $0 } ?? false
    }

    private func shortened(_ line: String) -> String {
        guard line.utf8.count > limits.line else { return line }
        return String(decoding: line.utf8.prefix(limits.line), as: UTF8.self) + "…"
    }

    /// The beginning of the line without its digits, long enough to tell kinds apart.
    private func name(of line: String) -> String {
        let name = String(decoding: line.utf8.lazy.filter { !(48...57).contains($0) }.prefix(96), as: UTF8.self)
        return kinds[name] != nil || kinds.count < limits.kinds ? name : ""
    }
}
