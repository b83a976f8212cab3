// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import Testing

@Suite struct HostNameTests {
    /// The URL as typed, and as sent to the server.
    static let urls = [
        ("https://한국.example/x", "https://xn--3e0b707e.example/x"),
        ("https://münchen.example", "https://xn--mnchen-3ya.example"),
        ("https://MÜNCHEN.example:8443/ü?q=ä", "https://xn--mnchen-3ya.example:8443/%C3%BC?q=%C3%A4"),
        ("https://mu\u{308}nchen.example/", "https://xn--mnchen-3ya.example/"),
        ("https://faß.example/", "https://xn--fa-hia.example/"),
        ("https://例え。テスト/", "https://xn--r8jz45g.xn--zckzah/"),
        ("https://me:pw@bücher.example/a", "https://me:pw@xn--bcher-kva.example/a"),
        ("HTTPS://ｅｘａｍｐｌｅ.org/", "HTTPS://example.org/"),
        ("https://xn--mnchen-3ya.example/", "https://xn--mnchen-3ya.example/"),
        ("https://Example.org/한국", "https://Example.org/%ED%95%9C%EA%B5%AD"),
        ("http://[::1]/ü", "http://[::1]/%C3%BC"),
    ]

    @Test(arguments: urls) func `a host in another script is written as name servers know it`(
        typed: String,
        sent: String
    ) throws {
        let url = try HostName.url(typed)
        #expect(url.unredacted == sent)
        #expect(url.host.utf8.allSatisfy { $0 < 128 })
    }

    @Test(
        arguments: [
            ("xn--3e0b707e.example", "한국.example"), ("xn--mnchen-3ya.example", "münchen.example"),
            ("xn--fa-hia.example", "faß.example"), ("xn--r8jz45g.xn--zckzah", "例え.テスト"),
            // All Cyrillic, but looks like a Latin name; Latin with one Cyrillic letter; Chinese with Latin letters.
            ("xn--80ak6aa92e.com", nil), ("xn--pple-43d.com", nil), ("xn--abc-7h5i.com", nil),
            // Not in canonical form, an empty name, and names without another script.
            ("xn--MNCHEN-3ya.example", nil), ("xn--.example", nil), ("xn--a.example", nil), ("h.example", nil),
            ("", nil),
            ("xn--" + String(repeating: "a", count: 4000), nil), ("[::1]", nil),
        ] as [(String, String?)]
    )
    func `a name is shown as people write it where it is like no other`(name: String, shown: String?) {
        #expect(HostName.readable(name) == shown)
    }

    @Test func `lists and show have the readable name`() throws {
        let url = "https://xn--3e0b707e.example:8443/in/x"
        let row = try Samples.row(7, .running, url: url)
        #expect(TransferTable.way(row) == "big.iso ← 한국.example:8443")
        let detail = TransferDetail(transfer: try Samples.transfer(7, .running, url: url), row: row, partialPath: nil)
        let lines = DetailText.lines(detail, now: noon)
        #expect(lines.contains("Host:         한국.example"))
        #expect(lines.contains { $0.hasPrefix("URL: ") && $0.contains("xn--3e0b707e.example") })
    }

    @Test(arguments: [
        "https://-ü-.example/", "https://ü..example/", "https://\u{200B}\u{00AD}/", "https://ü\u{202E}x.example/",
        "https://" + String(repeating: "ü", count: 64) + ".example/", "https://evil.c℀.example/",
        "https://a／b.example/",
        "https://ü%2F.example/", "https://xn--ü.example/", "https://é b.example/", "https://ü\n.example/",
        "https://\u{FFFD}.example/",
    ])
    func `what is no name is refused in a sentence`(typed: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try HostName.url(typed) }
        let sentence = failure.sentences.joined()
        #expect(sentence.hasPrefix("That is not a URL Offstage can use: "), "\(sentence)")
        #expect(sentence.hasSuffix(".") && !sentence.utf8.contains { $0 < 32 })
    }
}
