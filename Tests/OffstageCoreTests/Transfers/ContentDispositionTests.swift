// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct ContentDispositionTests {
    /// A field's value, and the file's resulting name; nil if there is none.
    static let fields: [(String, String?)] = [
        // RFC 6266, section 5, and what servers write.
        ("Attachment; filename=example.html", "example.html"),
        (#"INLINE; FILENAME= "an example.html""#, "an example.html"),
        ("attachment;filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
        (#"attachment; filename="EURO rates"; filename*=utf-8''%e2%82%ac%20rates"#, "€ rates"),
        (#"attachment; filename*=utf-8'de'%e2%82%ac%20rates; filename="EURO rates""#, "€ rates"),
        ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
        ("attachment; filename=an example.tar.gz ; size=3", "an example.tar.gz"),
        (#"filename="bare.txt""#, "bare.txt"),
        (#"attachment; filename="a;b=c.txt"; filename=other"#, "a;b=c.txt"),
        (#"attachment; filename="a \"quoted\" \\ name""#, "name"),
        (#"attachment; filename="a \"quoted\" name.txt""#, #"a "quoted" name.txt"#),
        (#"attachment; filename="파일.txt""#, "파일.txt"),
        (#"attachment; filename="open"#, "open"),
        // No name.
        ("attachment", nil), ("", nil), (";;;=;", nil), ("attachment; filename", nil), ("attachment; filename=", nil),
        (#"attachment; filename="""#, nil), ("attachment; filename*=UTF-8''", nil), ("attachment; myfilename=x", nil),
        // An extended name that is none leaves the other.
        ("attachment; filename*=UTF-8''%ff%fe; filename=plain.txt", "plain.txt"),
        ("attachment; filename*=UTF-8''%4; filename=plain.txt", "plain.txt"),
        ("attachment; filename*=UTF-8''%zz; filename=plain.txt", "plain.txt"),
        ("attachment; filename*=utf-16''a; filename=plain.txt", "plain.txt"),
        ("attachment; filename*=a; filename=plain.txt", "plain.txt"),
        ("attachment; filename*=UTF-8''..; filename=plain.txt", "plain.txt"),
        // Paths and hidden files.
        ("attachment; filename=../../etc/passwd", "passwd"),
        (#"attachment; filename="/etc/cron.d/job""#, "job"),
        (#"attachment; filename="C:\Users\me\report.doc""#, "report.doc"),
        ("attachment; filename*=UTF-8''..%2F..%2F.ssh%2Fauthorized_keys", "authorized_keys"),
        ("attachment; filename*=UTF-8''x%5C..%5Cy.txt", "y.txt"),
        ("attachment; filename=.bashrc", "bashrc"), ("attachment; filename=...", nil), ("attachment; filename=..", nil),
        ("attachment; filename=.", nil), ("attachment; filename=a/", nil), ("attachment; filename=/", nil),
        ("attachment; filename*=UTF-8''%20.%20.bashrc%20", "bashrc"),
        ("attachment; filename*=UTF-8''%2Eoffstage-1-2.part", "offstage-1-2.part"),
        // What leads a terminal or a person astray.
        ("attachment; filename*=UTF-8''a%00b%0A%1B%5B31m.txt", "ab[31m.txt"),
        ("attachment; filename*=UTF-8''%00%0D%0A", nil),
        ("attachment; filename*=UTF-8''exe.%E2%80%AEtxt", "exe.txt"),
        ("attachment; filename*=UTF-8''.%E2%80%8B.%00.%2E/", nil),
        ("attachment; filename*=UTF-8''%E2%80%8B.profile", "profile"),
    ]

    @Test(arguments: fields)
    func `a field names a file, and nothing else`(value: String, name: String?) {
        let given = ContentDisposition.fileName(in: [HeaderField(name: "content-disposition", value: value)])
        #expect(given == name)
    }

    @Test func `the first field that gives a name counts`() {
        let fields = [
            HeaderField(name: "Content-Type", value: "x; filename=no"),
            HeaderField(name: "Content-Disposition", value: "attachment"),
            HeaderField(name: "Content-Disposition", value: "attachment; filename=one"),
            HeaderField(name: "Content-Disposition", value: "attachment; filename=two"),
        ]
        #expect(ContentDisposition.fileName(in: fields) == "one")
        #expect(ContentDisposition.fileName(in: []) == nil)
    }

    @Test func `a name is never longer than a file's may be, and keeps its ending`() throws {
        let long = try #require(SafeFileName.of(String(repeating: "한", count: 200) + ".tar"))
        #expect(long.utf8.count <= 255 && long.utf8.count > 250 && long.hasPrefix("한한") && long.hasSuffix("한.tar"))
        #expect(SafeFileName.of(String(repeating: "a", count: 255))?.utf8.count == 255)
        #expect(SafeFileName.of(String(repeating: "a", count: 256))?.utf8.count == 255)
        let ending = try #require(SafeFileName.of("a." + String(repeating: "b", count: 300)))
        #expect(ending.utf8.count == 255)
        let marks = try #require(SafeFileName.of("e" + String(repeating: "\u{301}", count: 5000)))
        #expect(marks.utf8.count <= 255)
    }

    @Test func `bytes of any kind make no name that could be a path`() {
        let alphabet = Array(";=\"\\/.%'* \0filename*=UTF-8''%2e%2F%CC%81\u{85}\u{301}x".utf8)
        var bytes: [UInt8] = []
        var seed: UInt64 = 7
        for _ in 0..<2000 {
            bytes.removeAll()
            for _ in 0..<40 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes.append(alphabet[Int(seed >> 33) % alphabet.count])
            }
            let value = "attachment; filename*=UTF-8''" + String(decoding: bytes, as: UTF8.self)
            guard let name = ContentDisposition.fileName(in: [.init(name: "Content-Disposition", value: value)]) else {
                continue
            }
            #expect(!name.isEmpty && name.lastSlash == nil && !name.hasPrefix(".") && name.utf8.count <= 255)
            #expect(!name.utf8.contains { $0 < 32 || $0 == 127 })
        }
    }
}
