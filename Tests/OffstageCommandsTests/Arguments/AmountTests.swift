// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCommands
import OffstageCore
import Testing

@Suite struct AmountTests {
    @Test(arguments: [
        ("0", 0), ("200", 200), ("500k", 512_000), ("1K", 1024), ("2M", 2_097_152), ("1.5m", 1_572_864),
        ("1G", 1_073_741_824),
        ("10b", 10),
    ])
    func `bytes have curl's suffixes`(text: String, bytes: Int64) {
        #expect(Quantity.bytes(text) == bytes)
    }

    @Test(arguments: ["", "k", "-1", "1kk", "1e3", "inf", "1.2.3", "9999999999999G", "0x10", "１"])
    func `what is no number of bytes is refused`(text: String) {
        #expect(Quantity.bytes(text) == nil)
    }

    @Test(arguments: [
        ("90", 90.0), ("1.5", 1.5), ("30s", 30), ("10m", 600), ("2h30m", 9000), ("7d", 604_800), ("1w", 604_800),
    ])
    func `times are seconds or have units`(text: String, seconds: Double) {
        #expect(Quantity.seconds(text) == seconds)
    }

    @Test(arguments: ["", "h", "2x", "2h30", "-5", "nan", "1h-3m"])
    func `what is no time is refused`(text: String) {
        #expect(Quantity.seconds(text) == nil)
    }

    @Test func `priorities are words or numbers from 0 to 1`() {
        #expect(Quantity.priority("low") == 0.25)
        #expect(Quantity.priority("normal") == 0.5)
        #expect(Quantity.priority("high") == 0.75)
        #expect(Quantity.priority("0.9") == 0.9)
        #expect(Quantity.priority("2") == nil)
    }

    @Test func `dates are ISO 8601 with a zone, or so long from now`() throws {
        #expect(PointInTime.parse("2026-05-01T08:00:00Z", now: noon)?.timeIntervalSince1970 == 1_777_622_400)
        #expect(PointInTime.parse("2026-05-01T08:00+02:00", now: noon)?.timeIntervalSince1970 == 1_777_615_200)
        #expect(PointInTime.parse("+2h", now: noon) == noon.addingTimeInterval(7200))
    }

    @Test func `a date without a zone is local time`() throws {
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_hour, parts.tm_isdst) = (126, 4, 1, 8, -1)
        let local = Double(mktime(&parts))
        #expect(PointInTime.parse("2026-05-01T08:00", now: noon)?.timeIntervalSince1970 == local)
        #expect(PointInTime.parse("2026-05-01 08:00", now: noon)?.timeIntervalSince1970 == local)
        #expect(PointInTime.parse("2026-05-01", now: noon)?.timeIntervalSince1970 == local - 28800)
    }

    @Test func `a time of day is the next one`() throws {
        var seconds = time_t(noon.timeIntervalSince1970)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let here = Int(parts.tm_hour) * 3600 + Int(parts.tm_min) * 60 + Int(parts.tm_sec)
        for (text, wanted) in [("23:00", 82_800), ("0:05", 300), ("07:30", 27_000), ("12:00:30", 43_230)] {
            let date = try #require(PointInTime.parse(text, now: noon))
            // In a time zone whose clocks change at that very time, the result could be an hour off.
            #expect(date.timeIntervalSince(noon) == Double(wanted > here ? wanted - here : wanted - here + 86_400))
        }
        let others = [
            ("11pm", "23:00"), ("11:30PM", "23:30"), ("12am", "0:00"), ("12:05pm", "12:05"), ("1am", "1:00"),
            ("24:00", "0:00"), ("tomorrow", "0:00"),
        ]
        for (text, same) in others {
            let date = try #require(PointInTime.parse(text, now: noon))
            #expect(date == PointInTime.parse(same, now: noon), "\(text)")
        }
        #expect(PointInTime.parse("now", now: noon) == noon)
        let at = try #require(PointInTime.parse("23:00", now: noon))
        #expect(PointInTime.parse("23:00", now: at)?.timeIntervalSince(at) == 86_400)
        for text in [
            "24:01", "23:60", "13pm", "0am", "11:5pm", "pm", "11:60pm", "23:00:60", "7", "7:5", "٢٣:00", "23:00Z",
            "-1:00",
        ] {
            #expect(PointInTime.parse(text, now: noon) == nil)
        }
    }

    @Test(arguments: [
        "", "yesterday", "2026", "2026-13-01", "2026-02-31", "2026-05-01T25:00", "2026-05-01T8:00", "+", "+x",
        "2026-05-01T08:00:00+99:00",
    ])
    func `what is no date is refused`(text: String) {
        #expect(PointInTime.parse(text, now: noon) == nil)
    }

    @Test func `numbers of transfers may be ranges, and each counts once`() throws {
        #expect(try IDArguments.parse(["7", "9-11", "10"]).map(\.rawValue) == [7, 9, 10, 11])
        for text in ["0", "x", "-3", "5-3", "1-2-3", "7-", "99999999999999999999"] {
            #expect(throws: UsageError.self) { try IDArguments.parse([text]) }
        }
    }

    @Test func `a list on standard input has a tab between two parts and skips empty lines`() throws {
        let entries = try InputLines.parse(Array("a\n\nb c\thttp://x/\r\n".utf8))
        #expect(
            entries == [.init(number: 1, first: "a", second: nil), .init(number: 3, first: "b c", second: "http://x/")]
        )
        let sentence =
            "line 2 of standard input, 'b\u{FFFD}\u{FFFD}c', is not UTF-8, which names and URLs must be"
        #expect(throws: UsageError(sentence)) { try InputLines.parse([97, 10, 98, 0xFF, 7, 99, 10]) }
    }

    @Test func `a second part that is not UTF-8 is refused, and an empty one is there`() throws {
        #expect(throws: UsageError.self) { try InputLines.parse(Array("a\thttp://x/".utf8) + [0xFF, 10]) }
        #expect(throws: UsageError.self) { try InputLines.parse([0xFF] + Array("\thttp://x/\n".utf8)) }
        let entries = try InputLines.parse(Array("a\t\n\tb\nc\td\te\n".utf8))
        #expect(entries.map(\.first) == ["a", "", "c"] && entries.map(\.second) == ["", "b", "d\te"])
    }
}
