// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct ForeignValueTests {
    private struct Sample: Codable, Equatable {
        @Within<ByteCounts> var bytes: Int64 = 0
        @WithinIfPresent<ByteCounts> var total: Int64?
        @WithinIfPresent<Durations> var wait: Double?
        var date: Date?
    }

    private func sample(_ json: String, fromStore: Bool = false) throws -> Sample {
        try (fromStore ? ForeignJSON.storeDecoder() : ForeignJSON.decoder())
            .decode(Sample.self, from: Data(json.utf8))
    }

    @Test(arguments: [
        #"{"bytes":-1}"#, #"{"bytes":-9223372036854775808}"#, #"{"bytes":9223372036854775807}"#,
        #"{"bytes":1,"total":-9223372036854775808}"#, #"{"bytes":1,"total":1152921504606846977}"#,
        #"{"bytes":1,"wait":-1}"#, #"{"bytes":1,"wait":1e300}"#, #"{"bytes":1,"date":1e308}"#,
        #"{"bytes":1,"date":-1e300}"#,
    ])
    func `what is out of range is refused, and clamped where it is in the store`(json: String) throws {
        #expect(throws: DecodingError.self) { try sample(json) }
        let clamped = try sample(json, fromStore: true)
        #expect(ByteCounts.range.contains(clamped.bytes))
        #expect(clamped.total.map(ByteCounts.range.contains) ?? true)
        #expect(clamped.wait.map(Durations.range.contains) ?? true)
        #expect(clamped.date.map(CalendarDates.range.contains) ?? true)
    }

    @Test(arguments: [#"{"bytes":1e30}"#, #"{"bytes":1.5}"#, #"{"bytes":"1"}"#, #"{"bytes":1,"wait":1e400}"#, "{}"])
    func `what is no such number at all is refused everywhere`(json: String) {
        #expect(throws: DecodingError.self) { try sample(json) }
        #expect(throws: DecodingError.self) { try sample(json, fromStore: true) }
    }

    @Test func `on the wire it is the bare value, and what is missing stays away`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try String(decoding: encoder.encode(Sample(bytes: 7)), as: UTF8.self) == #"{"bytes":7}"#)
        let whole = Sample(bytes: 7, total: 8, wait: 1.5, date: Date(timeIntervalSinceReferenceDate: 5))
        let json = #"{"bytes":7,"date":5,"total":8,"wait":1.5}"#
        #expect(try String(decoding: encoder.encode(whole), as: UTF8.self) == json)
        #expect(try sample(json) == whole)
        #expect(try sample(#"{"bytes":7,"total":null}"#) == Sample(bytes: 7))
    }

    @Test func `what is assigned becomes the nearest value`() {
        var sample = Sample(bytes: .min, total: .max, wait: .nan)
        #expect(sample.bytes == 0)
        #expect(sample.total == 1 << 60)
        #expect(sample.wait == 0)
        sample.bytes -= 5
        #expect(sample.bytes == 0)
        sample.wait = .infinity
        #expect(sample.wait == 1e10)
        #expect(Moment(wall: Date(timeIntervalSince1970: .nan), bootID: "", uptime: -.infinity).uptime == -1e11)
        #expect(Deadline(setAt: Fixture.moment(0), delay: .nan).delay == 0)
    }

    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("9223372036854775807", .max), ("9223372036854775808", nil), ("", nil), ("+5", nil),
            ("-5", nil), (" 5", nil), ("5 ", nil), ("5,5", nil), ("0x5", nil), ("٣", nil), ("1e3", nil),
            ("99999999999999999999999999999999999999", nil),
        ] as [(String, Int64?)]
    )
    func `a number in a protocol is digits alone`(text: String, number: Int64?) {
        #expect(Int64(digits: text) == number)
    }

    @Test func `a byte of digits fits its type`() {
        #expect(UInt8(digits: "255") == 255)
        #expect(UInt8(digits: "256") == nil)
        #expect(Int8(digits: "127") == 127)
        #expect(Int8(digits: "128") == nil)
    }

    @Test(
        arguments: [
            (Double.nan, 0), (.infinity, .max), (-.infinity, .min), (1e300, .max), (-1e300, .min), (2.9, 2), (-2.9, -2),
            (9.3e18, .max), (0, 0),
        ] as [(Double, Int64)]
    )
    func `every floating-point number has a nearest whole one`(value: Double, nearest: Int64) {
        #expect(Int64(nearest: value) == nearest)
    }

    @Test func `sums and differences stop at the ends`() {
        #expect(Int64.max.addingClamped(1) == .max)
        #expect(Int64.min.addingClamped(-1) == .min)
        #expect(Int64.min.subtractingClamped(1) == .min)
        #expect(Int64.max.subtractingClamped(-1) == .max)
        #expect(UInt8(3).subtractingClamped(5) == 0)
        #expect(UInt8(250).addingClamped(10) == 255)
    }

    @Test(arguments: [(5, 4), (-1, 4), (0, .max), (0, 1 << 60), (.min, .max)] as [(Int64, Int64)])
    func `a range that is none is none`(first: Int64, last: Int64) {
        #expect(ByteRange(first: first, last: last) == nil)
    }

    @Test func `a range counts both of its ends`() throws {
        let range = try #require(ByteRange(first: 0, last: (1 << 60) - 1))
        #expect(range.count == 1 << 60)
        #expect(range.end == 1 << 60)
    }
}
