// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCommands
import Testing

@Suite struct FormatTests {
    @Test(arguments: [
        (0, "0 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (1536, "1.50 KiB"), (10_240, "10.0 KiB"), (1_048_064, "1.00 MiB"),
        (1_048_576, "1.00 MiB"), (104_857_600, "100 MiB"), (268_435_456, "256 MiB"), (1_610_612_736, "1.50 GiB"), (Int64.max, "8.00 EiB"),
    ])
    func `sizes have three digits that count`(bytes: Int64, text: String) {
        #expect(Format.bytes(bytes) == text)
    }

    @Test(arguments: [
        (0.0, "0s"), (59.4, "59s"), (60.0, "1:00"), (65.0, "1:05"), (3599.0, "59:59"), (7384.0, "2:03:04"), (273_600.0, "3d 04h"),
        (-3.0, "0s"), (1e300, "115740d 17h"),
    ])
    func `durations fit a narrow column`(seconds: Double, text: String) {
        #expect(Format.duration(seconds) == text)
    }

    @Test func `percent says 100 only for all`() {
        #expect(Format.percent(done: 999, total: 1000) == 99)
        #expect(Format.percent(done: 1000, total: 1000) == 100)
        #expect(Format.percent(done: 1, total: nil) == nil)
        #expect(Format.percent(done: 0, total: 0) == nil)
    }

    @Test func `time left needs a rate and a total`() {
        #expect(Format.secondsLeft(done: 50, total: 100, rate: 10) == 5)
        #expect(Format.secondsLeft(done: 50, total: nil, rate: 10) == nil)
        #expect(Format.secondsLeft(done: 50, total: 100, rate: 0) == nil)
    }

    @Test func `a time of another day has its date`() {
        #expect(Format.time(noon, now: noon).count == 8)
        #expect(Format.time(noon, now: noon.addingTimeInterval(200_000)).count == 16)
    }

    @Test func `a table fits its width and cuts the flexible column`() {
        var table = TextTable([.init("ID", isRightAligned: true), .init("WHAT", isFlexible: true)])
        table.rows = [["1", "short"], ["12", "a text that is longer than the room"]]
        #expect(table.lines(width: 0, usesColour: false) == ["ID  WHAT", " 1  short", "12  a text that is longer than the room"])
        let narrow = table.lines(width: 20, usesColour: false)
        #expect(narrow[2] == "12  a text that is …")
        #expect(narrow.allSatisfy { DisplayWidth.of($0) <= 20 })
    }

    @Test func `colours do not count as width, and control characters never reach the terminal`() {
        var table = TextTable([.init("A"), .init("B")])
        table.rows = [[.init("ok", .good), "x\u{1B}[2Jy"]]
        let plain = table.lines(width: 0, usesColour: false)[1]
        #expect(plain == "ok  x\u{FFFD}[2Jy")
        #expect(table.lines(width: 0, usesColour: true)[1].hasPrefix("\u{1B}[32mok\u{1B}[0m  x"))
    }

    @Test func `wide letters take two cells`() {
        #expect(DisplayWidth.of("日本") == 4)
        #expect(DisplayWidth.of("äö") == 2)
        #expect(DisplayWidth.truncated("日本語", to: 5) == "日本…")
        #expect(DisplayWidth.truncated("abc", to: 3) == "abc")
    }
}
