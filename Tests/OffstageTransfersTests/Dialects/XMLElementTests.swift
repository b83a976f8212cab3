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

    @Test func `a file is not read for a document that names one`() {
        let root = parse("<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><a><b>&x;</b></a>")
        #expect(root?.value("b") ?? "" == "")
    }
}
