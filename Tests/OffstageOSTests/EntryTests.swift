// SPDX-License-Identifier: Apache-2.0
import OffstageOS
import Testing

/// An entry as written to the journal and standard error.
@Suite struct EntryTests {
    private func entry(_ message: String, _ subsystem: String = "com.example", _ category: String = "net") -> LogEntry {
        LogEntry(level: .error, subsystem: subsystem, category: category, message: message)
    }

    private func journal(_ entry: LogEntry, program: String = "App") throws -> FakeJournal.Entry {
        try FakeJournal.entry(JournalEntry(entry, program: program).bytes)
    }

    private func line(_ entry: LogEntry, program: String = "App", isJournal: Bool = false) -> String {
        let time = UTCTime(seconds: 0, microseconds: 250_000)
        return ConsoleLine(entry, time: time, program: program, processID: 7, isJournal: isJournal).text
    }

    @Test func `an entry is written field by field`() throws {
        var entry = entry("it broke")
        entry.code = LogEntry.Code(file: "App/Net.swift", line: 12)
        let text = String(decoding: JournalEntry(entry, program: "App").bytes, as: UTF8.self)
        #expect(
            text == """
                PRIORITY=3
                SYSLOG_IDENTIFIER=App
                SUBSYSTEM=com.example
                CATEGORY=net
                CODE_FILE=App/Net.swift
                CODE_LINE=12
                MESSAGE=it broke

                """
        )
        #expect(try journal(self.entry("", "", "")).names == ["PRIORITY", "SYSLOG_IDENTIFIER", "MESSAGE"])
    }

    @Test func `a value of several lines has its length before it`() throws {
        let bytes = JournalEntry(entry("one\ntwo", "", ""), program: "App").bytes
        let end = Array("MESSAGE\n".utf8) + [7, 0, 0, 0, 0, 0, 0, 0] + Array("one\ntwo\n".utf8)
        #expect(bytes.suffix(end.count) == end[...])
        #expect(try journal(entry("one\ntwo\tthree")).fields["MESSAGE"] == "one\ntwo\tthree")
    }

    @Test(arguments: [
        "a\nPRIORITY=0\nMESSAGE=forged", "a\r\n_UID=0", "a\n\nMESSAGE\n\u{1}\u{0}\u{0}\u{0}", "a\u{2028}MESSAGE=b",
        "a\u{0}b",
        "\n", "=\n=",
    ])
    func `no message forges a field`(message: String) throws {
        let names = ["PRIORITY", "SYSLOG_IDENTIFIER", "SUBSYSTEM", "CATEGORY", "MESSAGE"]
        let written = try journal(entry(message))
        #expect(written.names == names && written.fields["PRIORITY"] == "3")
        #expect(try journal(entry("m", message, message)).names == names)
        #expect(try journal(entry("m"), program: message).names == names)
    }

    @Test(arguments: ["a\nb", "a\r\nb", "a\u{1B}[2J\u{7}b\n", "a\u{2028}b", "\u{202E}a", "a\u{0}b", "a\u{85}b\u{0B}c"])
    func `no message forges a line, or moves a cursor`(message: String) {
        for text in [line(entry(message)), line(entry("m", message, message)), line(entry("m"), program: message)] {
            #expect(text.hasSuffix("\n") && text.dropLast().unicodeScalars.allSatisfy { !$0.isControl }, "\(text)")
            #expect(text.hasPrefix("1970-01-01 00:00:00.250000Z "))
        }
        #expect(line(entry("a\nb\n")) == "1970-01-01 00:00:00.250000Z App[7] error com.example:net: a\\nb\n")
        #expect(line(entry("a\tb", "", "net")) == "1970-01-01 00:00:00.250000Z App[7] error net: a\tb\n")
    }

    @Test func `where the journal reads standard error, a line begins with a priority`() {
        #expect(line(entry("it broke"), isJournal: true) == "<3>com.example:net: it broke\n")
        #expect(line(entry("it\nbroke", "", ""), isJournal: true) == "<3>it\\nbroke\n")
    }

    @Test func `each level has its number and name`() {
        #expect(LogLevel.allCases.map(\.priority) == [7, 6, 5, 4, 3, 2])
        #expect(LogLevel.allCases.map(\.name) == ["debug", "info", "notice", "warning", "error", "fault"])
        let types: [OSLogType] = [.debug, .info, .default, .error, .fault, OSLogType(rawValue: 99)]
        #expect(types.map { LogLevel($0) } == [.debug, .info, .notice, .error, .fault, .notice])
        #expect(types.map(\.rawValue) == [2, 1, 0, 16, 17, 99])
    }

    @Test func `a time is a date in UTC`() {
        #expect(UTCTime(seconds: 0).text == "1970-01-01 00:00:00Z")
        #expect(UTCTime(seconds: 951_782_399).text == "2000-02-28 23:59:59Z")
        #expect(UTCTime(seconds: 951_868_799).text == "2000-02-29 23:59:59Z")
        #expect(UTCTime(seconds: 1_709_251_199).text == "2024-02-29 23:59:59Z")
        #expect(UTCTime(seconds: 4_107_542_400).text == "2100-03-01 00:00:00Z")
        #expect(UTCTime(seconds: -1, microseconds: 999_999).text == "1969-12-31 23:59:59.999999Z")
        #expect(UTCTime(seconds: 253_402_300_799).text == "9999-12-31 23:59:59Z")
        #expect(UTCTime(seconds: -62_167_219_200).text == "0000-01-01 00:00:00Z")
        #expect(UTCTime(seconds: .max, microseconds: 1).text == "\(Int.max)")
        #expect(UTCTime(seconds: .min).text == "\(Int.min)")
    }
}

extension Unicode.Scalar {
    /// Whether it ends a line or moves a cursor.
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
