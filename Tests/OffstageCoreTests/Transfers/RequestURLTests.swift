// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct RequestURLTests {
    private struct Parts: Sendable {
        var text: String
        var host: String
        var hostKey: String
        var description: String
    }

    private static let good: [Parts] = [
        Parts(text: "http://h/p", host: "h", hostKey: "h:80", description: "http://h/p"),
        Parts(
            text: "HTTPS://Example.ORG",
            host: "example.org",
            hostKey: "example.org:443",
            description: "HTTPS://Example.ORG"
        ),
        Parts(text: "https://h:8443/", host: "h", hostKey: "h:8443", description: "https://h:8443/"),
        Parts(text: "https://h:/x", host: "h", hostKey: "h:443", description: "https://h/x"),
        Parts(text: "http://[::1]/x", host: "::1", hostKey: "[::1]:80", description: "http://[::1]/x"),
        Parts(
            text: "http://[2001:DB8::1]:81/x",
            host: "2001:db8::1",
            hostKey: "[2001:db8::1]:81",
            description: "http://[2001:DB8::1]:81/x"
        ),
        Parts(text: "https://me:pw@h/p", host: "h", hostKey: "h:443", description: "https://h/p"),
        Parts(text: "https://me@h/@scope/p", host: "h", hostKey: "h:443", description: "https://h/@scope/p"),
        Parts(text: "https://me:p@w@h:8080/p", host: "h", hostKey: "h:8080", description: "https://h:8080/p"),
        Parts(text: "https://h/p?sig=abc&x=1", host: "h", hostKey: "h:443", description: "https://h/p?…"),
        Parts(text: "https://h?sig=abc", host: "h", hostKey: "h:443", description: "https://h?…"),
        Parts(text: "https://h/p#secret", host: "h", hostKey: "h:443", description: "https://h/p"),
        Parts(text: "https://h/p?a@b#c?d", host: "h", hostKey: "h:443", description: "https://h/p?…"),
        Parts(text: "https://h/a%20b", host: "h", hostKey: "h:443", description: "https://h/a%20b"),
    ]

    @Test(arguments: good.indices) func `a URL is taken apart, and shown without its secrets`(index: Int) throws {
        let parts = Self.good[index]
        // Two @ are no URL to some readers, but then at least it is refused without being shown.
        guard let url = try? RequestURL(parts.text) else {
            #expect(parts.text.contains("p@w@"))
            return
        }
        #expect(url.host == parts.host)
        #expect(url.hostKey == parts.hostKey)
        #expect(url.description == parts.description)
        #expect(!url.unredacted.contains("#"))
    }

    @Test(arguments: [
        "", "h/p", "example.org", "/p", "//h/p", "https:", "https://", "https:///p", "https:/h/p", "http://:80/",
        "http://[]/",
        "http://h:99999/", "http://h:99999999999999999999/", "http://h:18446744073709551617/",
        "http://[::1]:99999999999999999999/x",
        "http://h:0/", "http://h:-1/", "http://h:80x/", "http://h:8 0/", "http://[::1/", "http://h\r\nX: y/",
        "http://h/\u{7F}",
        "http://h/\0", "user:pw@h/p://x",
    ])
    func `what is no URL is refused in a sentence`(text: String) throws {
        let error = try #require(throws: RequestError.self) { try RequestURL(text) }
        #expect(error.sentence.hasSuffix("."))
        #expect(!error.sentence.contains("pw"))
        #expect(!error.sentence.utf8.contains { $0 < 32 })
    }

    @Test(arguments: ["ftp", "file", "FILE", "data", "javascript", "gopher", "http+unix"])
    func `a scheme other than http and https is refused`(scheme: String) {
        #expect(throws: RequestError.unsupportedScheme(scheme.lowercased())) { try RequestURL("\(scheme)://h/p") }
        #expect(throws: RequestError.unsupportedScheme("magnet")) { try RequestURL("Magnet:?xt=urn:btih:1") }
    }

    @Test(arguments: [
        "https://me:hunter2/x@h/p", "https://me:hunter2#@h/p", "https://me:hunter2?@h/p", "me:hunter2@h/p",
        "https://me:hunter2@",
        "https://me:hunter2@h:99999/", "me:hunter2@h", "://me:hunter2@h/", "https://me:hunter2@h/p?hunter2#hunter2",
    ])
    func `a password is never shown, even when the URL is malformed`(text: String) {
        #expect(!RequestURL.redact(text).contains("hunter2"))
        do throws(RequestError) {
            #expect(try !RequestURL(text).description.contains("hunter2"))
        } catch {
            #expect(!error.sentence.contains("hunter2"))
        }
    }

    @Test func `a fragment is not sent, and user information is`() throws {
        #expect(try RequestURL("https://me:pw@h/p?q=1#f").unredacted == "https://me:pw@h/p?q=1")
    }

    private static let names: [(String, String?)] = [
        ("https://h/a/b.txt", "b.txt"), ("https://h/a/b.txt?x=/c", "b.txt"), ("https://h", nil), ("https://h/", nil),
        ("https://h/a/", nil), ("https://h/a/..", nil), ("https://h/a/.", nil), ("https://h/%2e%2e", nil),
        ("https://h/a%2Fb", "b"), ("https://h/..%2F..%2Fetc", "etc"),
        ("https://h/x/%CC%81a", "\u{301}a"), ("https://h/..%2F%CC%81a", "\u{301}a"), ("https://h/%00", nil),
        ("https://h/a%20b", "a b"),
        ("https://h/%C3%BC", "ü"), ("https://h/.profile", ".profile"),
    ]

    @Test(arguments: names) func `the file name is the decoded last part, and never leads elsewhere`(
        text: String,
        name: String?
    ) throws {
        #expect(try RequestURL(text).fileName == name)
    }

    @Test func `a name that is not UTF-8 does no harm`() throws {
        let name = try RequestURL("https://h/%FF%FE").fileName
        #expect(name?.contains("/") != true)
    }

    @Test func `spaces and letters beyond ASCII in the path are encoded`() throws {
        let url = try RequestURL("https://h/ä b/ü.txt")
        #expect(url.unredacted == "https://h/%C3%A4%20b/%C3%BC.txt")
        #expect(url.fileName == "ü.txt")
        #expect(url.unredacted.utf8.allSatisfy { $0 > 32 && $0 < 127 })
    }

    @Test func `a very long URL keeps its whole length`() throws {
        let long = "https://h/" + String(repeating: "a", count: 100_000) + "/end"
        #expect(try RequestURL(long).unredacted == long)
        #expect(try RequestURL(long).fileName == "end")
    }

    @Test func `it is a plain string in JSON, and checked when it comes back`() throws {
        let url = try RequestURL("https://me:pw@h/p?q")
        let data = try JSONEncoder().encode([url])
        #expect(try JSONDecoder().decode([RequestURL].self, from: data) == [url])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([RequestURL].self, from: Data(#"["ftp://h"]"#.utf8))
        }
    }
}
