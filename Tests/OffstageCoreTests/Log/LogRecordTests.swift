// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct LogRecordTests {
    private static func record(_ metadata: LogMetadata) -> LogRecord { LogRecord(.notice, "it happened", metadata) }

    private static let texts: [(LogRecord, String)] = [
        (record([:]), "it happened"),
        (record(["app": "com.example.app", "count": 3]), "it happened: app=com.example.app count=3"),
        (record(["reason": "Permission denied"]), #"it happened: reason="Permission denied""#),
        (record(["empty": ""]), #"it happened: empty="""#),
        (record(["file": #"/a "b"\c"#]), #"it happened: file="/a \"b\"\\c""#),
        // A value forges neither a field nor a line.
        (record(["app": "a level=fault"]), #"it happened: app="a level=fault""#),
        (record(["app": "a=b"]), #"it happened: app="a=b""#),
        (record(["app": "a\n<2>b\u{1b}[2J\u{202e}"]), "it happened: app=a\u{FFFD}<2>b\u{FFFD}[2J\u{FFFD}"),
        (record(["name": "für_사람"]), "it happened: name=für_사람"),
        (record(["transfer": TransferID(rawValue: 7)]), "it happened: transfer=7"),
        (record(["reason": StoreError.noThreads(path: "/s")]), "it happened: reason=\"\(sentence)\""),
        (
            record(["reason": TransferFailure(.cannotConnect, "cannot connect to h")]),
            #"it happened: reason="cannot connect to h""#
        ),
    ]

    private static let sentence = StoreError.noThreads(path: "/s").sentence

    @Test(arguments: texts) func `a record is one line`(record: LogRecord, text: String) {
        #expect(record.text == text)
    }

    @Test func `a URL leaves its secrets out, as a value and within a text`() throws {
        let url = try RequestURL("https://me:hunter2@example.com/files/a?token=t0ken#part")
        let reason = "see <\(url.unredacted)>, (\(url.unredacted))"
        let record = LogRecord(.error, "it failed", ["url": url, "reason": reason])
        #expect(record["url"] == "https://example.com/files/a?…")
        for secret in ["hunter2", "t0ken", "part"] { #expect(!record.text.contains(secret), "\(record.text)") }
        #expect(record.text.contains("see <https://example.com/files/a?…>, (https://example.com/files/a?…"))
    }

    @Test func `levels are in order`() {
        #expect(LogRecord.Level.allCases == LogRecord.Level.allCases.sorted())
        #expect(LogRecord.Level.debug < .notice && .notice < .error && .error < .fault)
    }

    @Test func `a line has the time and the level, and in the journal a priority`() {
        let lines = LogRecord.Level.allCases.map { LogBudget.Line(LogRecord($0, "m", ["n": 1])) }
        let time = Date(timeIntervalSince1970: 1)
        #expect(
            LogForm.plain.text(of: lines, at: time) == """
                1970-01-01T00:00:01Z debug m: n=1
                1970-01-01T00:00:01Z notice m: n=1
                1970-01-01T00:00:01Z error m: n=1
                1970-01-01T00:00:01Z fault m: n=1

                """
        )
        #expect(LogForm.journal.text(of: lines, at: time) == "<7>m: n=1\n<5>m: n=1\n<3>m: n=1\n<2>m: n=1\n")
    }
}
