// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

struct RequestedRangeTests {
    private static let texts: [(String, RequestedRange?)] = [
        ("bytes=0-99", .from(0, to: 99)), ("Bytes=5-", .from(5, to: nil)), ("bytes = 5 - 5", .from(5, to: 5)),
        ("bytes=-500", .last(500)), ("bytes=-", nil), ("bytes=", nil), ("bytes=9-5", nil), ("bytes=0-9,20-29", nil),
        ("bytes=0-9-20", nil), ("items=0-9", nil), ("0-9", nil), ("", nil), ("bytes=0-99999999999999999999", nil),
        ("bytes=x-5", nil), ("bytes=5-x", nil), ("bytes=-x", nil),
    ]

    @Test(arguments: texts) func `one range of bytes is understood, and nothing else`(
        text: String,
        range: RequestedRange?
    ) {
        #expect(RequestedRange(text) == range)
    }

    private static let answers: [(String, Int64, Int64, Int64?, Bool)] = [
        ("bytes=0-99", 0, 99, 1000, true), ("bytes=0-99", 0, 99, nil, true), ("bytes=0-99", 0, 49, 50, true),
        ("bytes=0-99", 0, 49, nil, true), ("bytes=0-99", 0, 49, 1000, false), ("bytes=0-99", 500, 599, 1000, false),
        ("bytes=0-99", 0, 100, 1000, false), ("bytes=0-99", 1, 99, 1000, false), ("bytes=10-", 10, 999, 1000, true),
        ("bytes=10-", 10, 99, 1000, false), ("bytes=10-", 11, 999, 1000, false), ("bytes=-5", 995, 999, 1000, true),
        ("bytes=-5", 990, 999, 1000, false), ("bytes=-5", 0, 4, 1000, false), ("bytes=-5", 997, 999, 1000, false),
        ("bytes=-5", 0, 2, 3, true), ("bytes=-5", 95, 99, nil, true),
    ]

    @Test(arguments: answers) func `a part meets a range if it is all of it that the file has`(
        text: String,
        first: Int64,
        last: Int64,
        total: Int64?,
        isMet: Bool
    ) throws {
        let asked = try #require(RequestedRange(text))
        let range = try #require(ByteRange(first: first, last: last))
        #expect(asked.isMet(by: range, of: total) == isMet)
    }
}
