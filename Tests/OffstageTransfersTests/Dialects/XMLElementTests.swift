// SPDX-License-Identifier: Apache-2.0
import OffstageTransfers
import Testing

@Suite struct XMLElementTests {
    private func parse(_ text: String) -> XMLElement? { XMLElement.root(of: Array(text.utf8)) }

    @Test func `white space before the document, prefixes and entities are read`() {
        let root = parse(
            "\n \n<?xml version=\"1.0\"?><s3:A xmlns:s3='u'><s3:B> &quot;x&amp;y&quot;\n</s3:B><C/></s3:A>"
        )
        #expect(root?.name == "A")
        #expect(root?.value("B") == "\"x&y\"")
        #expect(root?.value("C") == "" && root?.value("D") == nil)
    }

    @Test(arguments: [
        "", "  ", "<", "<A>", "<A></B>", "text", "<A/><B/>", "<A>\u{0}</A>", #"{"a":1}"#, "<A b=></A>",
    ])
    func `what is no document is none`(text: String) { #expect(parse(text) == nil) }

    @Test func `what is too deep or too long is none, and entities do not explode`() {
        #expect(parse(String(repeating: "<a>", count: 16) + String(repeating: "</a>", count: 16)) != nil)
        #expect(parse(String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17)) == nil)
        #expect(parse(String(repeating: "<a>", count: 100_000)) == nil)
        #expect(parse("<a>" + String(repeating: "<b/>", count: 20_000) + "</a>") == nil)
        var laughs = "<!DOCTYPE a [<!ENTITY l0 \"lol\">"
        for level in 1...20 {
            laughs += "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
        }
        #expect(parse(laughs + "]><a>&l20;</a>") == nil)
    }

    @Test(arguments: [
        "<!DOCTYPE a><a/>", "<!DOCTYPE a []><a/>", #"<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a/>"#,
        #"<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a><b>&x;</b></a>"#,
        #"<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>"#, #"<!DOCTYPE a [<!ENTITY % x "y"> %x;]><a/>"#,
    ])
    func `a document with a document type is none`(text: String) { #expect(parse(text) == nil) }

    @Test func `a short document does not become megabytes below what expat allows`() {
        var text = "<!DOCTYPE a [<!ENTITY l0 \"\(String(repeating: "l", count: 64))\">"
        for level in 1...4 {
            text += "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 16))\">"
        }
        text += "]><a>&l4;</a>"
        #expect(text.utf8.count < 512, "4 MiB are made of it")
        #expect(parse(text) == nil)
    }

    @Test func `text is read up to the length of the longest answer, and a page of parts is far below it`() throws {
        func document(_ count: Int) -> String { "<a>\(String(repeating: "t", count: count))<b>\n</b></a>" }
        #expect(parse(document((2 << 20) - 1))?.text.utf8.count == (2 << 20) - 1)
        #expect(parse(document(2 << 20)) == nil)
        var page = "<ListPartsResult>\n"
        for number in 1...1000 {
            page += "  <Part>\n    <PartNumber>\(number)</PartNumber>\n    <Size>8388608</Size>\n"
            for name in ["ETag", "LastModified", "ChecksumSHA256", "ChecksumCRC64NVME"] {
                page += "    <\(name)>\(String(repeating: "e", count: 256))</\(name)>\n"
            }
            page += "  </Part>\n"
        }
        let root = try #require(parse(page + "</ListPartsResult>"))
        #expect(root.children.count == 1000 && root.children.last?.value("PartNumber") == "1000")
    }
}
