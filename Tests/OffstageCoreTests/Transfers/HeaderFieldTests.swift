// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct HeaderFieldTests {
    private static let lines: [(String, String, String)] = [
        ("Accept: text/plain", "Accept", "text/plain"), ("X:y", "X", "y"), ("X:", "X", ""),
        ("X: \t  y z ", "X", "y z "),
        ("X: a:b:c", "X", "a:b:c"), ("X: Grüße", "X", "Grüße"), ("!#$%&'*+-.^_`|~9aZ: v", "!#$%&'*+-.^_`|~9aZ", "v"),
    ]

    @Test(arguments: lines) func `a line is taken apart at its first colon`(line: String, name: String, value: String)
        throws
    {
        #expect(try HeaderField(parsing: line) == HeaderField(name: name, value: value))
    }

    @Test(arguments: [
        "", "no colon", ":value", " X: y", "X : y", "X\t: y", "Ä: y", "(X): y", "X\r\nY: z", "X\0: y",
        "A: b\r\nInjected: c",
        "A: b\nInjected: c", "A: b\rInjected: c", "A: b\0c", "A:\r\n b", "A: \u{0D}\u{0A}", "A: b\r\n",
    ])
    func `a line that would forge another header, or is none, is refused`(line: String) throws {
        let error = try #require(throws: RequestError.self) { try HeaderField(parsing: line) }
        #expect(error.sentence.hasSuffix("."))
        #expect(!error.sentence.utf8.contains { $0 < 32 })
    }

    @Test func `a refusal does not repeat the value`() throws {
        let error = try #require(throws: RequestError.self) { try HeaderField(parsing: "Authorization: hunter2\n") }
        #expect(!error.sentence.contains("hunter2"))
    }

    @Test(arguments: ["Accept", "Content-Type", "ETag", "Idempotency-Key", "IDEMPOTENCY-KEY", "Content-Length", "Date"])
    func `an ordinary field is shown`(name: String) {
        #expect(HeaderField(name: name, value: "v").shown.value == "v")
    }

    @Test(arguments: [
        "Authorization", "PROXY-AUTHORIZATION", "Cookie", "Set-Cookie", "X-Api-Key", "X-Auth-Token", "Link", "X", "",
    ])
    func `every other field is shown without its value`(name: String) {
        #expect(HeaderField(name: name, value: "v").shown == HeaderField(name: name, value: "(hidden)"))
    }

    @Test func `the first field of a name is found whatever its case`() {
        let fields = [HeaderField(name: "ETag", value: "1"), HeaderField(name: "etag", value: "2")]
        #expect(fields["etag"] == "1")
        #expect(fields["ETAG"] == "1")
        #expect(fields["tag"] == nil)
    }

    @Test(arguments: ["", "v", " v", "a: b", "\u{301}accent", "\u{200D}", "\r\n", "😀", "\u{FE0F}x"])
    func `a field comes back from JSON as it was, whatever its value`(value: String) throws {
        let field = HeaderField(name: "X", value: value)
        let again = try JSONDecoder().decode([HeaderField].self, from: JSONEncoder().encode([field]))
        #expect(again == [field])
        #expect(again.first?.value.unicodeScalars.elementsEqual(value.unicodeScalars) == true)
    }
}
