// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct TransferSecretsTests {
    private func spec(_ url: String = "https://example.org/in") throws -> TransferSpec {
        TransferSpec(direction: .download(.init(path: "/tmp/x")), url: try RequestURL(url), owner: "command")
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    @Test(arguments: [
        "X-JWT", "X-Pass", "X-PIN", "X-OTP", "X-SAS", "X-Ticket", "X-Bearer", "X-Sid", "Api", "X-Access", "X-Grant",
        "X-Colour", "Authorization", "Cookie", "Proxy-Authorization", "Referer",
    ])
    func `the value of a field that nobody knows is a secret`(name: String) throws {
        var spec = try spec()
        spec.headers = [HeaderField(name: name, value: "4711-abcd")]
        #expect(spec.secretRedactor.strike("got 4711-abcd!") == "got (hidden)!")
        #expect(HeaderField(name: name, value: "4711-abcd").shown.value == "(hidden)")
        #expect(!HarmlessHeaders.travels(name))
    }

    @Test(arguments: ["Accept", "USER-AGENT", "content-type", "If-Range"])
    func `the value of a field that is known to be harmless is none`(name: String) throws {
        var spec = try spec()
        spec.headers = [HeaderField(name: name, value: "text/plain")]
        #expect(spec.secretRedactor.isEmpty)
        #expect(HarmlessHeaders.travels(name))
    }

    @Test func `words of a value are secrets, and names in it are not`() throws {
        var spec = try spec()
        spec.headers = [
            HeaderField(name: "Authorization", value: "Bearer abcd1"),
            HeaderField(name: "Cookie", value: "session=xyz9; lang=klingon"),
            HeaderField(name: "X-Login", value: "Basic " + Self.base64("ann:open sesame")),
        ]
        let redactor = spec.secretRedactor
        #expect(redactor.strike("abcd1 xyz9 klingon ann open sesame") == "(hidden) (hidden) (hidden) (hidden) (hidden)")
        #expect(redactor.strike("no Bearer, no session, no lang") == "no Bearer, no session, no lang")
    }

    @Test func `user and password, of the server and of proxies, are secrets in all forms`() throws {
        var spec = try spec("https://amy:pa%73s1@example.org/")
        spec.credentials = .init(user: "annabel", password: "hunter2")
        spec.proxy = .init(http: "http://pr0xyuser:pr0xypass@proxy:3128", https: "proxyuser2:proxypass2@proxy")
        let redactor = spec.secretRedactor
        for text in [
            "annabel", "hunter2", Self.base64("annabel:hunter2"), Self.base64("x: annabel:hunter2"), "pass1", "pa%73s1",
            "amy", "pr0xyuser", "pr0xypass", "proxypass2", Self.base64("pr0xyuser:pr0xypass"),
        ] {
            let struck = redactor.strike("got <\(text)>")
            #expect(struck.hasPrefix("got <") && struck.contains("(hidden)") && !struck.contains(text), "\(text)")
        }
    }

    @Test func `values of the query and tokens in the path are secrets`() throws {
        let spec = try spec("https://example.org/hooks/T0aB1cD2eF3gH4iJ5k/in;jsessionid=ab12cd?sig=Zm9%2Fv&page=3#x")
        let redactor = spec.secretRedactor
        for text in ["T0aB1cD2eF3gH4iJ5k", "Zm9%2Fv", "Zm9/v", "ab12cd"] {
            #expect(!redactor.strike("got \(text).").contains(text), "\(text)")
        }
        #expect(redactor.strike("hooks and sig and page 3") == "hooks and sig and page 3")
    }

    @Test func `what another URL has as well is no secret of a URL`() throws {
        let known = try RequestURL("https://example.org/hooks/T0aB1cD2eF3gH4iJ5k?name=a%20long%20film.mov&n=1")
        let url = try RequestURL(
            "https://example.org/hooks/T0aB1cD2eF3gH4iJ5k/U6vW7xY8zA9bC0dE1f?name=a%20long%20film.mov&id=Zm9x8Y7w6V"
        )
        var redactor = SecretRedactor()
        redactor.add(url: url, besides: known)
        let text = "\(url.unredacted), a long film.mov"
        let expected = "https://example.org/hooks/T0aB1cD2eF3gH4iJ5k/(hidden)?name=a%20long%20film.mov&id=(hidden)"
        #expect(redactor.strike(text) == "\(expected), a long film.mov")
        redactor.add(url: url)
        #expect(!redactor.strike(text).contains("film"))
    }

    @Test func `values of a form's fields are secrets, and its names are not`() throws {
        let form = FormBody(parts: [.init(name: "password", content: .value("correct horse"))])
        let spec = TransferSpec(direction: .form(form), url: try RequestURL("https://example.org/"), owner: "command")
        let struck = spec.secretRedactor.strike("password=correct+horse, or correct%20horse")
        #expect(struck == "password=(hidden), or (hidden)")
    }

    @Test func `a specification with very many fields is dealt with at once`() throws {
        var spec = try spec()
        spec.headers = (0..<100_000).map { HeaderField(name: "X-\($0)", value: "a=b; c=d, e") }
        spec.headers.append(HeaderField(name: "X", value: String(repeating: "a=b;", count: 500_000)))
        let time = ThreadTime.measure { _ = spec.secretRedactor }
        #expect(time < .seconds(10))
        #expect(spec.secretRedactor.isOverwhelmed)
    }

    @Test(arguments: [
        ("/next?token=abc", "/next?…"), ("https://u:p@h/x?y#z", "https://h/x?…"), ("//u:p@h/x", "//h/x"),
        ("?a=b", "?…"),
        ("../x", "../x"),
    ])
    func `of the place that an answer names the harmless part is shown`(value: String, expected: String) {
        #expect(HeaderField(name: "Location", value: value).shown.value == expected)
    }

    @Test(arguments: [
        ("https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendDocument", "/…/sendDocument"),
        (
            "https://hooks.slack.com/services/T00000000/B00000000/a1b2C3d4E5f6G7h8I9j0K1l2",
            "/services/T00000000/B00000000/…"
        ),
        ("https://h/s/550e8400-e29b-41d4-a716-446655440000/photo.jpg", "/s/…/photo.jpg"),
        ("https://h/in/9f86d081884c7d659a2feaa0c55ad015.tar.gz", "/in/9f86d081884c7d659a2feaa0c55ad015.tar.gz"),
        ("https://h/My%20Long%20Holiday%20Photos%20Of%202024", "/My%20Long%20Holiday%20Photos%20Of%202024"),
        ("https://h/IMG-20240101-WA0001-compressed", "/IMG-20240101-WA0001-compressed"),
        ("https://h/a;jsessionid=1/b", "/a;…/b"), ("https://h/", "/"), ("https://h/a//b/", "/a//b/"),
    ])
    func `a part of a path that looks like a token is not shown`(text: String, path: String) throws {
        let url = try RequestURL(text)
        #expect(url.description == "https://\(url.host)\(path)")
        #expect(url.withoutQuery == text)
        #expect(try RequestURL(text + "?a=1").withoutQuery == text)
    }
}
