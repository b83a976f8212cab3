// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct ResponseHeadTests {
    private func head(_ fields: (String, String)...) -> ResponseHead {
        ResponseHead(status: 200, headers: fields.map { HeaderField(name: $0.0, value: $0.1) })
    }

    @Test func `a strong ETag is preferred, else a date older than the response`() {
        let modified = ("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        let date = ("Date", "Tue, 02 Jan 2024 00:00:00 GMT")
        #expect(head(("ETag", "\"x\""), modified, date).validator == .strongETag("\"x\""))
        #expect(head(("etag", "\"\"")).validator == .strongETag("\"\""))
        #expect(head(("ETag", "W/\"x\""), modified, date).validator == .lastModified(modified.1))
        #expect(head(modified, date).validator == .lastModified(modified.1))
        #expect(head(modified, ("Date", modified.1)).validator == nil)
        #expect(head(modified).validator == nil)
        #expect(head(("ETag", "W/\"x\"")).validator == nil)
        for malformed in ["", "x", "\"", "\"x", "x\""] { #expect(head(("ETag", malformed)).validator == nil) }
        #expect(PartialDownload.Validator.strongETag("\"x\"").ifRange == "\"x\"")
        #expect(PartialDownload.Validator.lastModified("d").ifRange == "d")
    }

    private static let lengths: [(String, Int64?)] = [
        ("0", 0), ("123", 123), ("", nil), ("-1", nil), ("+5", nil), ("5 5", nil), ("5,5", 5), ("5, 5", 5),
        ("5,6", nil), ("5,", nil), ("0x10", nil), ("5x", nil), ("99999999999999999999999", nil),
        ("9223372036854775807", nil), ("1152921504606846976", nil), ("٣", nil),
    ]

    @Test(arguments: lengths) func `a length is digits alone`(text: String, length: Int64?) {
        let stated = head(("Content-Length", text)).statedLength
        #expect(stated == length.map { .bytes($0) } ?? .nonsense("sent an impossible Content-Length"))
    }

    @Test func `a head that can be read in two ways states no length`() {
        for fields in [["Content-Length": "5"], ["Transfer-Encoding": "chunked"], [:]] {
            let fields = fields.map { HeaderField(name: $0.key, value: $0.value) }
            let head = ResponseHead(status: 200, headers: fields, isAmbiguous: true)
            #expect(head.statedLength == .nonsense("sent a header that can be read in two ways"))
        }
    }

    @Test func `several lengths are one as long as they agree`() {
        #expect(head().statedLength == .none)
        #expect(head(("Content-Length", "5"), ("content-length", "5")).statedLength == .bytes(5))
        for second in ["6", "05", "x", ""] {
            let stated = head(("Content-Length", "5"), ("Content-Length", second)).statedLength
            #expect(stated == .nonsense("sent an impossible Content-Length"), "\(second)")
        }
    }

    @Test func `chunks need no length, and no other coding was asked for`() {
        let length = ("Content-Length", "99999999999999999999")
        #expect(head(("Transfer-Encoding", "Chunked"), length).statedLength == .none)
        #expect(head(("Transfer-Encoding", "identity"), ("Content-Length", "5")).statedLength == .bytes(5))
        #expect(head(("Transfer-Encoding", "identity")).statedLength == .none)
        for coding in ["gzip", "gzip, chunked", "chunked, gzip", "xchunked", "chunked, chunked", "", "chunked;x"] {
            let stated = head(("Transfer-Encoding", coding), ("Content-Length", "5")).statedLength
            #expect(stated == .nonsense("sent a transfer coding that was not requested"), "\(coding)")
        }
    }

    private static let ranges: [(String, [Int64?]?)] = [
        ("bytes 0-99/100", [0, 99, 100]), ("BYTES 5-9/*", [5, 9, nil]), ("bytes 0-0/1", [0, 0, 1]), ("bytes 0-99", nil),
        ("bytes */100", nil), ("bytes 9-5/100", nil), ("bytes 0-99/50", nil), ("bytes 0-99/99", nil),
        ("bytes -5-10/100", nil),
        ("bytes 0--9/100", nil), ("bytes 0-99/x", nil), ("bytes 0-99/100/200", nil), ("bytes +0-99/100", nil),
        ("items 0-99/100", nil), ("bytes 0-9223372036854775807/*", nil), ("bytes 0-9223372036854775808/*", nil),
        ("bytes 0-5/9223372036854775807", nil), ("bytes 0-1152921504606846975/*", [0, (1 << 60) - 1, nil]),
        ("bytes 0-99/", nil), ("", nil), ("bytes", nil), ("bytes=0-99/100", nil),
    ]

    @Test(arguments: ranges) func `a content range is read strictly`(text: String, expected: [Int64?]?) {
        let range = head(("Content-Range", text)).contentRange
        #expect(range.map { [$0.range.first, $0.range.last, $0.total] } == expected)
    }

    private static let waits: [(String, Double?)] = [
        ("0", 0), ("120", 120), ("-1", nil), ("1.5", nil), ("inf", nil), ("nan", nil), ("1e9", nil), ("", nil),
        ("Fri, 31 Dec 1999 23:59:59 GMT", nil), ("99999999999999999999999", 31_536_000), ("40000000", 31_536_000),
    ]

    @Test(arguments: waits) func `Retry-After is whole seconds, a year at most`(text: String, seconds: Double?) {
        #expect(head(("Retry-After", text)).retryAfterSeconds == seconds)
    }

    private static let codings: [(String, [ContentCoding])] = [
        ("gzip", [.gzip]), ("X-GZIP", [.gzip]), ("deflate", [.deflate]), (" gzip , deflate", [.gzip, .deflate]),
        ("identity, gzip,", [.gzip]), ("identity", []), ("", []), ("br", []), ("gzip, br", []), ("utf-8", []),
    ]

    @Test(arguments: codings)
    func `a body's codings are known, or it has none`(text: String, codings: [ContentCoding]) {
        #expect(head(("Content-Encoding", text)).codings == codings)
        let part = ResponseHead(status: 206, headers: [HeaderField(name: "Content-Encoding", value: text)])
        #expect(part.codings.isEmpty)
    }

    @Test func `codings in several fields were applied in their order`() {
        #expect(head(("Content-Encoding", "deflate"), ("content-encoding", "gzip")).codings == [.deflate, .gzip])
    }

    @Test func `pieces need ranges, a strong validator and the file as it is`() {
        let (tag, ranges) = (("ETag", "\"x\""), ("Accept-Ranges", "bytes"))
        #expect(head(tag, ranges).allowsPieces)
        #expect(head(tag, ("accept-ranges", "none, Bytes")).allowsPieces)
        #expect(head(tag, ranges, ("Content-Encoding", "identity")).allowsPieces)
        let modified = ("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        #expect(head(modified, ("Date", "Tue, 02 Jan 2024 00:00:00 GMT"), ranges).allowsPieces)
        #expect(!head(modified, ("Date", modified.1), ranges).allowsPieces)
        #expect(!head(tag).allowsPieces)
        #expect(!head(tag, ("Accept-Ranges", "none")).allowsPieces)
        #expect(!head(ranges).allowsPieces)
        #expect(!head(("ETag", "W/\"x\""), ranges).allowsPieces)
        for coding in ["gzip", "aes128gcm", "identity, br"] {
            #expect(!head(tag, ranges, ("Content-Encoding", coding)).allowsPieces)
        }
        let fields = [HeaderField(name: "ETag", value: "\"x\"")]
        #expect(ResponseHead(status: 206, headers: fields).allowsPieces, "a range was sent")
        let all = fields + [HeaderField(name: "Accept-Ranges", value: "bytes")]
        #expect(!ResponseHead(status: 203, headers: all).allowsPieces)
    }
}
