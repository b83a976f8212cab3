// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct FormBodyTests {
    private static let boundary = "OffstageFormBoundary-0123456789"

    private func source(_ path: String = "/tmp/a.jpg", size: Int64 = 10) -> TransferSpec.UploadSource {
        .init(path: path, identity: FileIdentity(device: 1, inode: 2, size: size, modified: 4))
    }

    private func value(_ name: String, _ value: String) -> FormBody.Part { .init(name: name, content: .value(value)) }

    private func form(_ parts: FormBody.Part...) -> FormBody { FormBody(parts: parts, boundary: Self.boundary) }

    /// The body with a file's path in place of its bytes.
    private func text(_ form: FormBody) -> String {
        form.body.segments.map { segment in
            switch segment {
            case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
            case .file(let range): "<\(range.source.path) \(range.offset)+\(range.count)>"
            }
        }.joined()
    }

    private func isRefused(_ parts: FormBody.Part...) -> Bool {
        do throws(RequestError) {
            try FormBody(parts: parts, boundary: Self.boundary).validate()
            return false
        } catch {
            return true
        }
    }

    private func spec(_ form: FormBody, _ change: (inout TransferSpec) -> Void = { _ in }) throws -> TransferSpec {
        var spec = TransferSpec(direction: .form(form), url: try RequestURL("https://h/in"), owner: "command")
        spec.setContentTypeOfForm()
        change(&spec)
        return spec
    }

    // MARK: - Layout

    @Test func `fields and files stand in order, each with its head, and the end is marked`() {
        let photo = FormBody.Part(
            name: "photo",
            content: .file(source()),
            fileName: "a.jpg",
            contentType: "image/jpeg"
        )
        let note = FormBody.Part(name: "note", content: .file(source("/tmp/n", size: 3)))
        let form = form(value("title", "My photo"), photo, note, value("last", ""))
        let expected = [
            "--\(Self.boundary)", "Content-Disposition: form-data; name=\"title\"", "", "My photo",
            "--\(Self.boundary)", "Content-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"",
            "Content-Type: image/jpeg", "", "</tmp/a.jpg 0+10>",
            "--\(Self.boundary)", "Content-Disposition: form-data; name=\"note\"", "", "</tmp/n 0+3>",
            "--\(Self.boundary)", "Content-Disposition: form-data; name=\"last\"", "", "",
            "--\(Self.boundary)--", "",
        ]
        #expect(text(form) == expected.joined(separator: "\r\n"))
        #expect(form.contentType == "multipart/form-data; boundary=\(Self.boundary)")
        #expect(form.sources.map(\.path) == ["/tmp/a.jpg", "/tmp/n"])
    }

    @Test func `the length is known before, to the byte`() {
        let large = FormBody.Part(name: "f", content: .file(source(size: 10 << 30)), fileName: "ü.bin")
        let form = form(value("ä", "a\nb"), large)
        let bytes = form.body.segments.reduce(Int64(0)) { sum, segment in
            if case .bytes(let bytes) = segment { sum + Int64(bytes.count) } else { sum }
        }
        #expect(form.body.count == bytes + 10 << 30)
    }

    /// WHATWG HTML, "multipart/form-data encoding algorithm", as browsers send it.
    @Test(arguments: [
        ("plain", "plain"), ("ü 日本 😀", "ü 日本 😀"), ("a\"b", "a%22b"), ("a\\b", "a\\b"), ("a%22b", "a%22b"),
        ("a\nb", "a%0D%0Ab"), ("a\rb", "a%0D%0Ab"), ("a\r\nb", "a%0D%0Ab"), ("a\n\rb", "a%0D%0A%0D%0Ab"),
        ("a;b=c'", "a;b=c'"), ("e\u{301}", "e\u{301}"),
    ])
    func `a name is encoded as browsers do`(name: String, encoded: String) {
        #expect(text(form(value(name, "x"))).contains("form-data; name=\"\(encoded)\"\r\n"))
    }

    @Test(arguments: [("a\nb", "a%0Ab"), ("a\rb", "a%0Db"), ("a\r\nb", "a%0D%0Ab"), ("\"", "%22"), ("", "")])
    func `line breaks of a file name stay what they are`(name: String, encoded: String) {
        let part = FormBody.Part(name: "f", content: .file(source()), fileName: name)
        #expect(text(form(part)).contains("; filename=\"\(encoded)\"\r\n\r\n"))
    }

    @Test(arguments: [
        ("", ""), ("a", "a"), ("a\nb", "a\r\nb"), ("a\rb", "a\r\nb"), ("a\r\nb", "a\r\nb"), ("\n\n", "\r\n\r\n"),
        ("\r\r\n\n", "\r\n\r\n\r\n"), ("\n\r", "\r\n\r\n"), ("a\n\u{301}b", "a\r\n\u{301}b"), ("%22\"", "%22\""),
    ])
    func `line breaks of a value become CRLF and nothing else changes`(given: String, sent: String) {
        #expect(text(form(value("v", given))).hasSuffix("\r\n\r\n\(sent)\r\n--\(Self.boundary)--\r\n"))
    }

    // MARK: - The boundary

    @Test func `boundaries are random, and of letters that need no quotes`() throws {
        let boundaries = (0..<1000).map { _ in FormBody.randomBoundary() }
        #expect(Set(boundaries).count == 1000)
        for boundary in boundaries { try FormBody(parts: [value("a", "b")], boundary: boundary).validate() }
        #expect(FormBody(parts: []).boundary != FormBody(parts: []).boundary)
        // 128 bits, each of which takes both values within a thousand boundaries.
        for place in 0..<32 { #expect(Set(boundaries.map { Array($0.utf8.suffix(32))[place] }).count == 16) }
    }

    @Test func `a text that holds the boundary is refused, wherever it stands`() throws {
        let inside = "x-\(Self.boundary)-x"
        let named = FormBody.Part(name: "f", content: .file(source()), fileName: inside)
        for part in [value("v", inside), value(inside, "v"), named, value("v", Self.boundary + "\u{301}")] {
            #expect(isRefused(part))
        }
        try form(value("v", String(Self.boundary.dropLast()) + "OX" + Self.boundary.dropFirst())).validate()
    }

    @Test(arguments: [
        "", "short", String(repeating: "a", count: 71), "spaces are not among the letters",
        "quotes\"quotes\"quotes\"quotes",
        "line\r\nbreak-line-break-line-break", "ümlautümlautümlautümlautümlaut",
    ])
    func `a boundary that could not be read is refused`(boundary: String) {
        #expect(throws: RequestError.self) { try FormBody(parts: [value("a", "b")], boundary: boundary).validate() }
    }

    // MARK: - Checks

    @Test(arguments: ["", "a\0b", "a\u{1}b", "\u{1B}[2J", "a\u{7F}"])
    func `a name that cannot be encoded is refused`(name: String) {
        #expect(isRefused(value(name, "v")))
        // A file's name may be empty: then the receiver learns that the file has none.
        let file = FormBody.Part(name: "f", content: .file(source()), fileName: name)
        #expect(isRefused(file) == !name.isEmpty)
    }

    @Test(arguments: [
        ("image/jpeg", true), ("text/plain; charset=utf-8", true), ("text/plain;charset=\"a;\\\"b\"", true),
        ("a/b ; c=d ; e=f", true), ("a/b;", true), ("application/vnd.api+json", true), ("", false), ("text", false),
        ("/", false), ("a/", false), ("/b", false), ("a/b c", false), ("a/b; c", false), ("a/b; c=", false),
        ("a/b; c=\"d", false), ("a/b\r\nX: y", false), ("a/b\nX: y", false), ("a/ü", false), ("a/b/c", false),
        ("a/b\0", false), ("\"a/b\"", false), ("a/b; c=\"", false),
    ])
    func `a content type is one that a receiver can read`(type: String, isGood: Bool) {
        let part = FormBody.Part(name: "v", content: .value("x"), contentType: type)
        #expect(isRefused(part) == !isGood)
    }

    @Test func `there is an end to parts, to text and to sizes`() throws {
        #expect(isRefused())
        let many = (0..<FormBody.mostParts).map { value("\($0)", "") }
        try FormBody(parts: many, boundary: Self.boundary).validate()
        #expect(throws: RequestError.self) {
            try FormBody(parts: many + [value("more", "")], boundary: Self.boundary).validate()
        }
        let long = String(repeating: "x", count: FormBody.mostText - 1)
        try form(value("n", long)).validate()
        #expect(isRefused(value("nn", long)))
        #expect(isRefused(FormBody.Part(name: "f", content: .file(source(size: .max)), fileName: "f")))
        let half = FormBody.Part(name: "f", content: .file(source(size: .max / 2 - 1)), fileName: "f")
        #expect(isRefused(half, half, half))
        let relative = FormBody.Part(name: "f", content: .file(source("a.jpg")), fileName: "f")
        #expect(isRefused(relative))
    }

    @Test func `a refusal never shows a value`() {
        for text in ["geheim\(Self.boundary)", "geheim" + String(repeating: "x", count: FormBody.mostText)] {
            let error = #expect(throws: RequestError.self) { try form(value("password", text)).validate() }
            #expect(error?.sentence.contains("geheim") == false)
        }
    }

    // MARK: - As a transfer

    @Test func `a form is posted, with a Content-Type that nothing takes the place of`() throws {
        let form = form(value("a", "b"))
        #expect(TransferSpec(direction: .form(form), url: try RequestURL("https://h/"), owner: "o").method == "POST")
        let foreign = HeaderField(name: "content-TYPE", value: "text/plain")
        let kept = HeaderField(name: "X-A", value: "b")
        var spec = try spec(form) { $0.headers += [kept, foreign] }
        #expect(throws: RequestError.self) { try spec.validate() }
        spec.setContentTypeOfForm()
        try spec.validate()
        #expect(spec.headers == [kept, .init(name: "Content-Type", value: form.contentType)])
        spec.headers.removeAll()
        #expect(throws: RequestError.self) { try spec.validate() }
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: try self.spec(form), now: Fixture.moment(0))
        _ = transfer.setHeaders([foreign, kept], now: Fixture.moment(1))
        try transfer.spec.validate()
        #expect(transfer.spec.headers["X-A"] == "b")
        #expect(transfer.bytesTotal == form.body.count)
    }

    @Test func `all files of a form are known, and copies of any are deleted with its end`() throws {
        var copy = source("/s/copy")
        copy.isSnapshot = true
        let parts = [source("/a"), copy].map { FormBody.Part(name: "f", content: .file($0), fileName: "f") }
        let spec = try spec(FormBody(parts: parts, boundary: Self.boundary))
        #expect(spec.paths == ["/a", "/s/copy"])
        #expect(spec.path == "/a")
        try spec.validate()
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: spec, now: Fixture.moment(0))
        #expect(transfer.cancel(now: Fixture.moment(1))?.contains(.deleteSnapshot) == true)
        let none = try self.spec(form(value("a", "b")))
        #expect(none.paths == [])
        #expect(none.path == "")
        try none.validate()
    }

    // MARK: - As JSON

    @Test func `a form comes back from its JSON`() throws {
        var copy = source("/tmp/\n\"ü")
        copy.isSnapshot = true
        let file = FormBody.Part(name: "f", content: .file(copy), fileName: "", contentType: "a/b")
        let named = FormBody.Part(name: "v", content: .value("\r\n\0"), fileName: "x.txt")
        let form = form(value("", ""), file, named)
        let json = try JSONEncoder().encode(form)
        #expect(try JSONDecoder().decode(FormBody.self, from: json) == form)
        let spec = try spec(form)
        #expect(try JSONDecoder().decode(TransferSpec.self, from: Data(spec.json())) == spec)
        #expect(try JSONDecoder().decode(TransferSpec.self, from: JSONEncoder().encode(spec)) == spec)
    }

    @Test func `the JSON of a form is short`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let form = form(value("title", "x"), .init(name: "f", content: .file(source()), fileName: "a.jpg"))
        #expect(
            String(decoding: try encoder.encode(form), as: UTF8.self)
                == #"{"boundary":"\#(Self.boundary)","parts":[{"name":"title","value":"x"},"#
                + #"{"file":{"identity":[1,2,10,4],"path":"/tmp/a.jpg"},"fileName":"a.jpg","name":"f"}]}"#
        )
    }

    @Test func `what is no form is refused by the decoder`() {
        for json in [#"{"boundary":"b"}"#, #"{"boundary":"b","parts":[{"name":"a"}]}"#, #"{"parts":[]}"#] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(FormBody.self, from: Data(json.utf8))
            }
        }
    }

    // MARK: - Types

    @Test(arguments: [
        ("a.JPG", "image/jpeg"), ("/x.y/a", nil), ("a.tar.gz", nil), ("a.b.html", "text/html"), ("png", nil),
        (".png", "image/png"), ("a.", nil), ("", nil), ("ü.svg", "image/svg+xml"),
    ])
    func `a type is guessed by the name's end`(name: String, type: String?) {
        #expect(GuessedContentType.of(name) == type)
    }

    @Test func `any file has a type`() {
        #expect(GuessedContentType.ofFile(named: "a.pdf", at: "/x.txt") == "application/pdf")
        #expect(GuessedContentType.ofFile(named: "a", at: "/x.txt") == "text/plain")
        #expect(GuessedContentType.ofFile(named: nil, at: "/x") == "application/octet-stream")
    }
}
