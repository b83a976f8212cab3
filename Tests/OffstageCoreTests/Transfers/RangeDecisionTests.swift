// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct RangeDecisionTests {
    private struct Row: Sendable {
        var status: Int
        var fields: [String: String] = [:]
        var offset: Int64 = 0
        var partial: PartialDownload?
        var keepsErrorBodies = false
        var expected: String
    }

    private static let tagged = PartialDownload(validator: .strongETag("\"x\""), totalBytes: 100, bootID: "b")
    private static let dated = PartialDownload(validator: .lastModified("d1"), totalBytes: 100, bootID: "b")
    private static let unsure = PartialDownload(validator: .strongETag("\"x\""), totalBytes: nil, bootID: "b")

    private static func range(_ text: String, _ more: [String: String] = [:]) -> [String: String] {
        more.merging(["Content-Range": text]) { $1 }
    }

    private static let rows: [Row] = [
        // From the start.
        Row(status: 200, fields: ["Content-Length": "100"], expected: "write 0/100"),
        Row(status: 200, expected: "write 0/?"),
        Row(status: 203, fields: ["Content-Length": "0"], expected: "write 0/0"),
        Row(status: 204, expected: "write 0/0"),
        Row(status: 204, fields: ["Content-Length": "0"], expected: "write 0/0"),
        Row(status: 205, expected: "write 0/0"),
        Row(status: 304, fields: ["Content-Length": "9"], keepsErrorBodies: true, expected: "write 0/9"),
        Row(status: 999, keepsErrorBodies: true, expected: "write 0/?"),
        Row(status: 206, fields: range("bytes 0-99/100"), expected: "write 0/100"),
        Row(status: 206, expected: "refuse"),
        Row(status: 206, fields: range("bytes 5-99/100"), expected: "refuse"),
        // Continuing.
        Row(status: 206, fields: range("bytes 40-99/100"), offset: 40, partial: tagged, expected: "write 40/100"),
        Row(status: 206, fields: range("bytes 40-99/*"), offset: 40, partial: tagged, expected: "write 40/100"),
        Row(status: 206, fields: range("bytes 40-99/100"), offset: 40, partial: unsure, expected: "write 40/100"),
        Row(
            status: 206,
            fields: range("bytes 40-99/100", ["Content-Length": "60", "ETag": "\"x\""]),
            offset: 40,
            partial: tagged,
            expected: "write 40/100"
        ),
        Row(
            status: 206,
            fields: range("bytes 40-99/100", ["Last-Modified": "d1"]),
            offset: 40,
            partial: dated,
            expected: "write 40/100"
        ),
        // A different file.
        Row(status: 206, fields: range("bytes 40-199/200"), offset: 40, partial: tagged, expected: "again"),
        Row(
            status: 206,
            fields: range("bytes 40-99/100", ["ETag": "\"y\""]),
            offset: 40,
            partial: tagged,
            expected: "again"
        ),
        Row(
            status: 206,
            fields: range("bytes 40-99/100", ["ETag": "W/\"x\""]),
            offset: 40,
            partial: tagged,
            expected: "again"
        ),
        Row(
            status: 206,
            fields: range("bytes 40-99/100", ["Last-Modified": "d2"]),
            offset: 40,
            partial: dated,
            expected: "again"
        ),
        Row(status: 200, fields: ["ETag": "\"y\""], offset: 40, partial: tagged, expected: "again"),
        Row(status: 416, offset: 40, partial: tagged, expected: "again"),
        Row(status: 416, offset: 40, partial: tagged, keepsErrorBodies: true, expected: "again"),
        // The same file, but no ranges.
        Row(status: 200, fields: ["ETag": "\"x\""], offset: 40, partial: tagged, expected: "again, no ranges"),
        Row(status: 200, offset: 40, partial: nil, expected: "again"),
        // Lies.
        Row(status: 206, offset: 40, partial: tagged, expected: "refuse"),
        Row(status: 206, fields: range("bytes 0-99/100"), offset: 40, partial: tagged, expected: "refuse"),
        Row(status: 206, fields: range("bytes 41-99/100"), offset: 40, partial: tagged, expected: "refuse"),
        Row(status: 206, fields: range("bytes 40-79/100"), offset: 40, partial: tagged, expected: "refuse"),
        Row(
            status: 206,
            fields: range("bytes 40-99/100", ["Content-Length": "59"]),
            offset: 40,
            partial: tagged,
            expected: "refuse"
        ),
        Row(status: 206, fields: range("bytes 0-9223372036854775807/*"), expected: "refuse"),
        Row(status: 206, fields: range("bytes 0-9223372036854775806/9223372036854775807"), expected: "refuse"),
        Row(
            status: 206,
            fields: range("bytes 40-9223372036854775807/*"),
            offset: 40,
            partial: tagged,
            expected: "refuse"
        ),
        // Whether that is the whole file is unknown.
        Row(status: 206, fields: range("bytes 0-99/*"), expected: "refuse"),
        Row(status: 206, fields: range("bytes 40-99/*"), offset: 40, partial: unsure, expected: "again, no ranges"),
        Row(status: 206, fields: range("bytes 40-79/*"), offset: 40, partial: tagged, expected: "again, no ranges"),
        Row(
            status: 206,
            fields: range("bytes 0-99/100", ["Content-Type": "Multipart/ByteRanges; boundary=x"]),
            expected: "refuse"
        ),
        Row(status: 200, fields: range("bytes 0-99/1000"), expected: "refuse"),
        Row(status: 200, fields: range("bytes 5-99/100"), expected: "refuse"),
        Row(status: 200, fields: range("bytes 0-99/100", ["Content-Length": "100"]), expected: "write 0/100"),
        Row(status: 200, fields: range("nonsense"), expected: "write 0/?"),
        Row(status: 204, fields: ["Content-Length": "5"], expected: "refuse"),
        Row(status: 205, fields: ["Content-Length": "5"], expected: "refuse"),
        Row(status: 200, fields: ["Content-Length": "99999999999999999999"], expected: "refuse"),
        Row(status: 200, fields: ["Content-Length": "9223372036854775807"], expected: "refuse"),
        Row(status: 200, fields: ["Content-Length": "-1"], expected: "refuse"),
        Row(
            status: 500,
            fields: ["Content-Length": "99999999999999999999"],
            keepsErrorBodies: true,
            expected: "refuse"
        ),
        Row(status: 200, fields: ["Transfer-Encoding": "gzip, chunked"], expected: "refuse"),
        // No final answer.
        Row(status: 0, expected: "refuse"),
        Row(status: 101, expected: "refuse"),
        Row(status: 101, fields: ["Content-Length": "5"], keepsErrorBodies: true, expected: "refuse"),
        Row(status: 199, offset: 40, partial: tagged, expected: "refuse"),
        // Not the file.
        Row(status: 404, fields: ["Content-Length": "-1"], expected: "not the file"),
        Row(status: 404, expected: "not the file"),
        Row(status: 404, offset: 40, partial: tagged, expected: "not the file"),
        Row(status: 304, expected: "not the file"),
        Row(status: 416, expected: "not the file"),
        Row(status: 503, offset: 40, partial: tagged, expected: "not the file"),
        Row(status: 404, fields: ["Content-Length": "9"], keepsErrorBodies: true, expected: "write 0/9"),
        Row(status: 404, offset: 40, partial: tagged, keepsErrorBodies: true, expected: "again"),
    ]

    @Test(arguments: rows.indices) func `every response has one meaning`(index: Int) {
        let row = Self.rows[index]
        let head = ResponseHead(
            status: row.status,
            headers: row.fields.map { HeaderField(name: $0.key, value: $0.value) }
        )
        let decision = RangeDecision.decide(
            head,
            offset: row.offset,
            partial: row.partial,
            keepsErrorBodies: row.keepsErrorBodies
        )
        let text =
            switch decision {
            case .write(let from, let total): "write \(from)/\(total.map(String.init) ?? "?")"
            case .beginAgain(let ignores): ignores ? "again, no ranges" : "again"
            case .refuse(let failure): failure.code == .serverMisbehaves ? "refuse" : "\(failure)"
            case .notTheFile: "not the file"
            }
        #expect(text == row.expected, "\(row)")
    }

    private static let own: [(String, [String: String], RangeDecision?)] = [
        ("bytes=0-99", range("bytes 0-99/1000", ["Content-Length": "100"]), .write(from: 0, total: 100)),
        ("bytes=0-99", range("bytes 0-99/1000"), .write(from: 0, total: 100)),
        ("bytes=0-99", range("bytes 0-49/50", ["Content-Length": "50"]), .write(from: 0, total: 50)),
        ("bytes=0-99", range("bytes 0-99/1000", ["Content-Length": "50"]), nil),
        ("bytes=0-99", range("bytes 500-599/1000", ["Content-Length": "100"]), nil),
        ("bytes=0-99", range("bytes 0-49/1000", ["Content-Length": "50"]), nil),
        ("bytes=0-99", [:], nil),
        ("bytes=0-99", ["Content-Type": "multipart/byteranges; boundary=x", "Content-Length": "50"], nil),
        ("bytes=0-9,20-29", ["Content-Type": "multipart/byteranges; boundary=x"], .write(from: 0, total: nil)),
        ("bytes=0-9,20-29", range("bytes 0-9/1000", ["Content-Length": "9"]), nil),
        ("items=0-9", range("items 0-9/10", ["Content-Length": "50"]), .write(from: 0, total: 50)),
    ]

    @Test(arguments: own) func `a part that its owner asked for is that part`(
        asked: String,
        fields: [String: String],
        expected: RangeDecision?
    ) {
        let decision = RangeDecision.decide(
            ResponseHead(status: 206, headers: fields.map { HeaderField(name: $0.key, value: $0.value) }),
            offset: 0,
            partial: nil,
            ownRange: asked,
            keepsErrorBodies: false
        )
        if let expected {
            #expect(decision == expected)
        } else if case .refuse(let failure) = decision {
            #expect(failure.code == .serverMisbehaves)
        } else {
            Issue.record("\(decision)")
        }
    }

    private struct Coded: Sendable {
        let known: String?
        let coding: String?
        let isDecoded: Bool
        var total: Int64? = 100
        let isTaken: Bool
    }

    private static let coded = [
        Coded(known: nil, coding: "identity", isDecoded: true, isTaken: true),
        Coded(known: nil, coding: "gzip", isDecoded: true, isTaken: false),
        // A strong ETag proves nothing.
        Coded(known: nil, coding: "gzip", isDecoded: false, isTaken: false),
        Coded(known: nil, coding: "utf-8", isDecoded: true, isTaken: false),
        Coded(known: "gzip", coding: "GZip", isDecoded: false, isTaken: true),
        Coded(known: "gzip", coding: "gzip, br", isDecoded: false, isTaken: false),
        Coded(known: "gzip,br", coding: "gzip, br", isDecoded: false, isTaken: true),
        // A value that is not a coding is never undone.
        Coded(known: "utf-8", coding: "utf-8", isDecoded: true, isTaken: true),
        // A 206 need not repeat the coding, if the length shows that it is the same file.
        Coded(known: "gzip", coding: nil, isDecoded: false, isTaken: true),
        Coded(known: "gzip", coding: nil, isDecoded: false, total: nil, isTaken: false),
        Coded(known: nil, coding: nil, isDecoded: false, total: nil, isTaken: true),
    ]

    @Test(arguments: coded.indices) func `bytes with another coding do not follow`(index: Int) {
        let row = Self.coded[index]
        var fields = Self.range("bytes 40-99/100", ["ETag": "\"x\""])
        fields["Content-Encoding"] = row.coding
        var partial = Self.tagged
        (partial.coding, partial.totalBytes) = (row.known, row.total)
        let decision = RangeDecision.decide(
            ResponseHead(status: 206, headers: fields.map { HeaderField(name: $0.key, value: $0.value) }),
            offset: 40,
            partial: partial,
            isDecoded: row.isDecoded,
            keepsErrorBodies: false
        )
        let again = RangeDecision.beginAgain(serverIgnoresRanges: row.isDecoded && row.coding == "gzip")
        #expect(decision == (row.isTaken ? .write(from: 40, total: 100) : again))
    }
}
