// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// What the response to a request for bytes 40 to 59 of 100 means.
@Suite struct PieceDecisionTests {
    struct Row: Sendable {
        var status = 206
        var range: String? = "bytes 40-59/100"
        var fields: [String: String] = ["ETag": "\"x\""]
        var isDated = false
        var expected: String
    }

    private static let rows: [Row] = [
        Row(expected: "write 40/60"),
        Row(fields: ["ETag": "\"x\"", "Content-Length": "20"], expected: "write 40/60"),
        Row(fields: ["ETag": "\"x\"", "Content-Encoding": "identity"], expected: "write 40/60"),
        Row(fields: ["ETag": "\"x\"", "Transfer-Encoding": "chunked"], expected: "write 40/60"),
        Row(fields: ["Last-Modified": "d1"], isDated: true, expected: "write 40/60"),
        Row(fields: [:], isDated: true, expected: "write 40/60"),
        // Another file, or a server that cannot say.
        Row(fields: ["ETag": "\"y\""], expected: "again"),
        Row(fields: ["ETag": "W/\"x\""], expected: "again"),
        Row(fields: [:], expected: "again"),
        Row(fields: ["Last-Modified": "d2"], isDated: true, expected: "again"),
        Row(range: "bytes 40-59/101", expected: "again"),
        Row(range: "bytes 40-59/*", expected: "again, ignores ranges"),
        Row(fields: ["ETag": "\"x\"", "Content-Encoding": "gzip"], expected: "again"),
        Row(status: 416, range: "bytes */9", expected: "again"),
        Row(status: 200, range: nil, expected: "again, ignores ranges"),
        Row(status: 200, range: nil, fields: ["ETag": "\"y\""], expected: "again"),
        Row(status: 204, range: nil, expected: "again, ignores ranges"),
        // Lies.
        Row(range: nil, expected: "refuse"),
        Row(range: "bytes 0-19/100", expected: "refuse"),
        Row(range: "bytes 40-99/100", expected: "refuse"),
        Row(range: "bytes 40-58/100", expected: "refuse"),
        Row(range: "bytes 41-59/100", expected: "refuse"),
        Row(range: "bytes 40-59/50", expected: "refuse"),
        Row(range: "items 40-59/100", expected: "refuse"),
        Row(fields: ["ETag": "\"x\"", "Content-Length": "21"], expected: "refuse"),
        Row(fields: ["ETag": "\"x\"", "Content-Length": "-1"], expected: "refuse"),
        Row(fields: ["ETag": "\"x\"", "Content-Type": "multipart/byteranges; boundary=a"], expected: "refuse"),
        Row(status: 101, expected: "refuse"),
        // Not the file.
        Row(status: 301, expected: "not the file"),
        Row(status: 404, expected: "not the file"),
        Row(status: 429, expected: "not the file"),
        Row(status: 503, expected: "not the file"),
    ]

    static let foreign: [(Int, String?, [String: String], String)] = [
        (206, "bytes 40-59/100", ["ETag": "\"y\""], "write"), (206, "bytes 40-59/100", [:], "write"),
        (206, "bytes 40-59/101", ["ETag": "\"y\""], "again"), (206, "bytes 40-59/*", ["ETag": "\"y\""], "again"),
        (206, "bytes 40-59/100", ["Content-Encoding": "gzip"], "again"), (206, "bytes 0-19/100", [:], "refuse"),
        (200, nil, ["ETag": "\"y\"", "Content-Length": "100"], "again"), (416, nil, [:], "again"),
        (404, nil, [:], "not the file"),
    ]

    @Test(arguments: foreign) func `of another server the length is compared`(
        status: Int,
        range: String?,
        fields: [String: String],
        expected: String
    ) {
        var fields = fields.map { HeaderField(name: $0.key, value: $0.value) }
        if let range { fields.append(HeaderField(name: "Content-Range", value: range)) }
        var partial = PartialDownload(validator: .strongETag("\"x\""), totalBytes: 100, bootID: "b")
        partial.adopt()
        let head = ResponseHead(status: status, headers: fields)
        let summary =
            switch RangeDecision.decide(head, piece: 40, before: 60, of: partial) {
            case .write: "write"
            case .beginAgain: "again"
            case .refuse: "refuse"
            case .notTheFile: "not the file"
            }
        #expect(summary == expected)
    }

    @Test(arguments: rows) func `nothing but the piece of the same file is written`(row: Row) {
        var fields = row.fields.map { HeaderField(name: $0.key, value: $0.value) }
        if let range = row.range { fields.append(HeaderField(name: "Content-Range", value: range)) }
        let partial = PartialDownload(
            validator: row.isDated ? .lastModified("d1") : .strongETag("\"x\""),
            totalBytes: 100,
            bootID: "b"
        )
        let head = ResponseHead(status: row.status, headers: fields)
        let summary =
            switch RangeDecision.decide(head, piece: 40, before: 60, of: partial) {
            case .write(let from, let total): "write \(from)/\(total.map { "\($0)" } ?? "?")"
            case .beginAgain(let ignores): ignores ? "again, ignores ranges" : "again"
            case .refuse: "refuse"
            case .notTheFile: "not the file"
            }
        #expect(summary == row.expected)
        let unknown = RangeDecision.decide(head, piece: 40, before: 60, of: nil)
        if case .write = unknown { Issue.record("a file of which nothing is known has no pieces") }
    }
}
