// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import Testing

@Suite struct MetalinkTests {
    private static let sum = String(repeating: "ab", count: 32)

    private func document(_ body: String, root: String = "metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"") -> String
    {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<\(root)>\(body)</\(root.prefix { $0 != " " })>\n"
    }

    private func file(_ body: String, name: String = "a.iso") -> String { "<file name=\"\(name)\">\(body)</file>" }

    private func files(_ text: String) throws -> [MetalinkFile] { try MetalinkDocument.files(of: Array(text.utf8)) }

    private func mistake(_ text: String) -> String? {
        do { _ = try files(text) } catch { return (error as? MetalinkReader.Mistake)?.text }
        return nil
    }

    @Test func `what RFC 5854 shows is understood`() throws {
        let text = document(
            """
            <published>2009-05-15T12:23:23Z</published>
            <file name="example.ext">
              <size> 14471447 </size><identity>Example</identity><version>1.0</version>
              <hash type="md5">d41d8cd98f00b204e9800998ecf8427e</hash>
              <hash type="sha-256">
                \(Self.sum.uppercased())
              </hash>
              <pieces length="262144" type="sha-1"><hash>da39a3ee</hash><hash>x</hash></pieces>
              <signature mediatype="application/pgp-signature">...</signature>
              <url location="de" priority="2">ftp://ftp.example.com/example.ext</url>
              <url location="fr" priority="1">http://a.example.com/example.ext?x=1&amp;y=2</url>
              <url>http://c.example.com/example.ext</url>
              <url priority="2"> https://b.example.com/example.ext
              </url>
              <metaurl mediatype="torrent" priority="1">http://example.com/example.ext.torrent</metaurl>
            </file>
            """
        )
        let file = try #require(try files(text).first)
        #expect(file.name == "example.ext" && file.size == 14_471_447 && file.hasOtherHashes)
        #expect(file.checksum?.sha256 == Self.sum)
        #expect(
            file.urls == [
                "http://a.example.com/example.ext?x=1&y=2", "ftp://ftp.example.com/example.ext",
                "https://b.example.com/example.ext", "http://c.example.com/example.ext",
            ]
        )
    }

    @Test func `elements of other vocabularies, and those elsewhere, do not count`() throws {
        let text = document(
            "<x:file xmlns:x=\"urn:x\" name=\"no\"><x:url>http://x/</x:url></x:file>"
                + "<info><file name=\"no\"><url>http://x/</url></file></info>"
                + file(
                    "<x:url xmlns:x=\"urn:x\">http://x/</x:url><pieces><url>http://x/</url></pieces><url>http://a/</url>"
                )
        )
        let found = try files(text)
        #expect(found.map(\.name) == ["a.iso"] && found.first?.urls == ["http://a/"])
    }

    @Test(arguments: [
        ("../../.ssh/authorized_keys", "authorized_keys"), ("/etc/passwd", "passwd"), ("a\\..\\b.exe", "b.exe"),
        (".bashrc", "bashrc"), ("folder/a.iso", "a.iso"), ("..", nil), ("a/", nil), ("/", nil), (".", nil),
        ("a&#x202E;b", "ab"),
    ])
    func `a name is only ever that of a file in the folder`(name: String, safe: String?) throws {
        #expect(try files(document(file("<url>http://a/</url>", name: name))).first?.safeName == safe)
    }

    static let bad: [(String, String)] = [
        ("<size>-1</size>", "size of 'a.iso'"), ("<size>1e3</size>", "size of"), ("<size></size>", "size of"),
        ("<size>99999999999999999999</size>", "size of"), ("<size>9223372036854775807</size>", "size of"),
        ("<size>1</size><size>2</size>", "two different sizes"), ("<hash type=\"sha-256\">ab</hash>", "is invalid"),
        (
            "<hash type=\"sha-256\">\(sum)</hash><hash type=\"sha-256\">\(sum.replacing("a", with: "c"))</hash>",
            "two different SHA-256"
        ),
        ("<url>http://a/\(String(repeating: "x", count: 70_000))</url>", "too long"),
        (String(repeating: "<x>", count: 100) + String(repeating: "</x>", count: 100), "too deep"),
        (String(repeating: "<x/>", count: 200_001), "too many elements"),
        (String(repeating: "<url>http://a/</url>", count: 1001), "more than 1000 addresses"),
        ("<url>http://a/</ur>", "is not XML"),
    ]

    @Test(arguments: bad.indices) func `what is wrong is said`(index: Int) {
        let (body, words) = Self.bad[index]
        #expect(mistake(document(file(body)))?.contains(words) == true, "\(mistake(document(file(body))) ?? "taken")")
    }

    @Test func `what is no Metalink is refused`() {
        #expect(mistake("")?.contains("is not XML") == true)
        #expect(mistake("<html/>")?.contains("not a Metalink") == true)
        #expect(
            mistake(document("", root: "metalink xmlns=\"http://www.metalinker.org/\""))?.contains("version 3") == true
        )
        #expect(mistake(document(""))?.contains("names no file") == true)
        #expect(mistake(document("<file><url>http://a/</url></file>"))?.contains("has no name") == true)
        #expect(mistake(document(String(repeating: "<file name=\"a\"/>", count: 1001)))?.contains("1000 files") == true)
        #expect(mistake(String(repeating: " ", count: MetalinkDocument.longest + 1))?.contains("longer than") == true)
    }

    @Test(arguments: [
        // A billion laughs, a file on this machine, one on another, a parameter entity, and quadratic growth.
        "<!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;\">]>",
        "<!DOCTYPE m [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>",
        "<!DOCTYPE m SYSTEM \"http://127.0.0.1:1/m.dtd\">", "<!DOCTYPE m [<!ENTITY % a \"x\"> %a;]>", "<!DOCTYPE m>",
    ])
    func `a document type is refused before it can do anything`(type: String) {
        let text = document(file("<url>http://a/&c;</url>"))
        let hostile = text.replacing("?>\n", with: "?>\n\(type)\n")
        #expect(mistake(hostile)?.contains("DOCTYPE") == true)
    }

    @Test func `huge attributes and texts that do not count cost no more than the document`() throws {
        let long = String(repeating: "x", count: 1 << 20)
        let text = document(file("<identity a=\"\(long)\">\(long)</identity><url>http://a/</url>"))
        #expect(try files(text).first?.urls == ["http://a/"])
    }

    @Test func `a text in many pieces is put together, up to its limit`() throws {
        // expat reports each reference separately.
        let start = "http://a/"
        let longest = (64 << 10) - start.utf8.count
        let text = document(file("<url>\(start)\(String(repeating: "&amp;", count: longest))</url>"))
        #expect(try files(text).first?.urls == [start + String(repeating: "&", count: longest)])
        let tooLong = document(file("<url>\(start)\(String(repeating: "&amp;", count: longest + 1))</url>"))
        #expect(mistake(tooLong)?.contains("too long") == true)
    }

    @Test func `bytes that are no text do no harm`() {
        for seed in 0..<200 {
            let bytes = (0..<200).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ seed &* 17) ^ seed) }
            #expect(throws: (any Error).self) { try MetalinkDocument.files(of: bytes) }
        }
    }
}
