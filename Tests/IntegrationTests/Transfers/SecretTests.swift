// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// A server that echoes everything it receives, in many forms; none of it is shown.
@Suite struct `Secrets in show, and to another host` {
    private static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.s5t4u3v2-w1x0_y9z8"
    private static let sent = [
        "X-JWT: \(jwt)", "X-PIN: 90210773", "X-OTP: k7-Q", "Cookie: sid=c00kie/va+lue; theme=midnight9",
        "X-Ticket: t1cket \"quoted\" <a&b>", "Api: Qx8fJ2mN",
    ]
    /// Everything that must never be shown.
    private static let secrets = [
        jwt, "90210773", "k7-Q", "c00kie/va+lue", "midnight9", "t1cket \"quoted\" <a&b>", "Qx8fJ2mN", "hunter2-pass",
        "q-s1gnature-9", "form-f1eld-value", "T0aB1cD2eF3gH4iJ5k",
    ]
    private static let path = "/hook/T0aB1cD2eF3gH4iJ5k/in"

    let fixture: DaemonFixture
    let server: FaultServer
    let other: FaultServer

    init() throws {
        fixture = try DaemonFixture()
        server = try FaultServer()
        other = try FaultServer()
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The forms in which a server may write a text.
    private static func forms(_ text: String) -> [String] {
        let json = (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return [
            text, json, json.replacing("\\/", with: "/"), text.utf8.map { "%" + hex([$0]) }.joined(),
            text.utf8.map { "%" + hex([$0]).uppercased() }.joined(), hex(text.utf8), hex(text.utf8).uppercased(),
            text.utf8.map { "\\u00" + hex([$0]) }.joined(), text.utf8.map { "&#\($0);" }.joined(),
            text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;"),
        ] + ["", "x", "xy"].map { Data(($0 + text).utf8).base64EncodedString() }
    }

    /// The texts that must not appear in an output; of Base64, only the part that does not depend on adjacent bytes.
    private static let needles: [String] = secrets.flatMap { secret -> [String] in
        let forms = forms(secret)
        let base64 = forms.suffix(3).map { String($0.drop(while: { $0 == "=" }).dropFirst(4).dropLast(4)) }
        return forms.dropLast(3).map { $0.trimmingQuotes } + base64.filter { $0.utf8.count >= 6 }
    }

    /// Answers with its whole request in header fields and body.
    private static func echo(_ status: Int) -> FaultAnswer {
        FaultAnswer { exchange in
            try exchange.readBody()
            let lines = exchange.request.headers.map { "\($0.name): \($0.value)" }
            let head = ([exchange.request.target] + lines).joined(separator: "\n")
            let text = head + "\n\n" + String(decoding: exchange.body.prefix(2000), as: UTF8.self)
            let fields = ["Server", "Via", "ETag", "X-Request-Id", "Location", "Link", "WWW-Authenticate", "X-Echo"]
            let values = lines + [exchange.request.target] + Self.forms(jwt) + Self.forms("90210773")
            let headers = fields.flatMap { name in values.map { HeaderField(name: name, value: $0) } }
            let body = Self.forms(text).joined(separator: "\n\n")
            try exchange.respond(status, headers, body: Array((lines[0] + "\n" + body).utf8))
        }
    }

    private var arguments: [String] {
        Self.sent.flatMap { ["-H", $0] } + ["--user", "annabel:hunter2-pass", "--retry", "0"]
    }

    private func expectNoSecret(in text: String, _ what: String) {
        for needle in Self.needles where text.contains(needle) {
            Issue.record("\(what) holds '\(needle)':\n\(text.prefix(4000))")
        }
    }

    /// Checks everything that is printed and logged about a transfer.
    private func expectNoSecretAnywhere(_ id: Int) throws {
        let commands = [
            ["list"], ["show", "\(id)"], ["why", "\(id)"], ["wait", "\(id)"], ["daemon", "log"], ["daemon", "status"],
            ["doctor"],
        ]
        for command in commands {
            for options in [[], ["--json"]] {
                let result = try fixture.run(command + options)
                let what = (command + options).joined(separator: " ")
                expectNoSecret(in: result.output, what)
                expectNoSecret(in: result.errors, what)
            }
        }
        expectNoSecret(in: fixture.log, "the log")
        for options in [[], ["--json"]] {
            let events = try fixture.start(["events", "\(id)"] + options)
            // The stream begins with the current state of the transfer.
            expectNoSecret(in: try events.line { $0 }, "events")
            events.kill(SIGINT)
            let result = try events.result()
            expectNoSecret(in: result.output + result.errors, "events")
        }
    }

    @Test(arguments: [400, 404, 500])
    func `nothing of what a download sent is shown when the server repeats it`(status: Int) throws {
        server.script(Self.path, Self.echo(status))
        let url = server.url(Self.path) + "?sig=q-s1gnature-9"
        let result = try fixture.run(["download", url, "-o", "x"] + arguments)
        #expect(!result.isSuccess)
        expectNoSecret(in: result.output + result.errors, "download")
        try expectNoSecretAnywhere(1)
        let shown = try fixture.show(1)
        #expect(shown.headers.array.contains { $0.name.string == "X-JWT" && $0.value.string == "(hidden)" })
        #expect(shown.bodyStart.string?.contains("(hidden)") == true)
    }

    @Test func `nothing of what an upload sent is shown when the server repeats it`() throws {
        server.script(Self.path, Self.echo(201))
        let file = try fixture.makeFile("photo.jpg", bytes: 1000).path
        let url = server.url(Self.path) + "?sig=q-s1gnature-9"
        let form = ["upload", "-F", "pin=form-f1eld-value", "-F", "file=@\(file)", url]
        let result = try fixture.run(form + arguments)
        #expect(result.isSuccess, "\(result)")
        expectNoSecret(in: result.output + result.errors, "upload")
        try expectNoSecretAnywhere(1)
        let shown = try fixture.show(1)
        #expect(shown.parts[0].name.string == "pin")
        #expect(shown.bodyStart.string?.contains("(hidden)") == true)
    }

    @Test(arguments: [302, 307])
    func `another port gets no secret, and what it says shows none`(status: Int) throws {
        server.script(Self.path, .redirect(to: other.url("/there"), status: status))
        other.script("/there", Self.echo(403))
        let url = server.url(Self.path) + "?sig=q-s1gnature-9"
        let result = try fixture.run(["download", url, "-o", "x", "-H", "Accept: text/plain"] + arguments)
        #expect(!result.isSuccess)
        let there = try #require(other.requests.first)
        expectNoSecret(in: there.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n"), "the request")
        #expect(there.headers["Accept"] == "text/plain")
        try expectNoSecretAnywhere(1)
    }

    @Test func `a secret that is cut where what is kept of the answer ends leaves no part behind`() throws {
        server.script(
            "/x",
            FaultAnswer { exchange in
                let text = String(repeating: ".", count: 65_536 - 20) + Self.jwt + Self.jwt
                try exchange.respond(400, body: Array(text.utf8))
            }
        )
        _ = try fixture.run(["download", server.url("/x"), "-o", "x"] + arguments)
        let body = try #require(try fixture.show(1).bodyStart.string)
        #expect(body.hasSuffix("....(hidden)"))
    }

    @Test func `what was sent is shown to who asks for it`() throws {
        server.script(Self.path, .status(400, body: "you sent \(Self.jwt)"))
        let url = server.url(Self.path) + "?sig=q-s1gnature-9"
        _ = try fixture.run(["download", url, "-o", "x"] + arguments)
        let result = try fixture.run("show", "1", "--reveal")
        for text in ["X-JWT: \(Self.jwt)", "q-s1gnature-9", "T0aB1cD2eF3gH4iJ5k", "you sent \(Self.jwt)"] {
            #expect(result.output.contains(text), "\(text)")
        }
        #expect(!result.output.contains("hunter2-pass"))
        let json = try fixture.json("show", "1", "--reveal").transfers[0]
        #expect(json.revealedURL.string?.hasSuffix("?sig=q-s1gnature-9") == true)
    }

    @Test func `what a server writes cannot move or turn the text of a terminal`() throws {
        let text = "a\u{1B}[2Jb\u{202E}c\u{2066}d\u{200B}e\u{2028}f\u{9B}g\u{E0041}h\u{7F}i\u{061C}j\u{FEFF}k"
        server.script("/x", .status(400, [HeaderField(name: "Server", value: text)], body: text))
        let result = try fixture.run("download", server.url("/x"), "-o", "bad\u{202E}gpj.exe", "--retry", "0")
        var outputs = [result.output, result.errors, fixture.log]
        for command in [["list"], ["show", "1"], ["why", "1"], ["daemon", "log"]] {
            for options in [[], ["--json"]] {
                let result = try fixture.run(command + options)
                outputs += [result.output, result.errors]
            }
        }
        for output in outputs {
            let bad = output.unicodeScalars.filter { $0 != "\n" && $0.isUnfitForTerminals }
            #expect(bad.isEmpty, "\(bad.map { String($0.value, radix: 16) }) in \(output)")
        }
        // JSON reproduces the received text exactly, with escapes.
        #expect(try fixture.show(1).bodyStart.string == text)
        #expect(try fixture.show(1).path.string?.hasSuffix("bad\u{202E}gpj.exe") == true)
    }
}

extension String {
    fileprivate var trimmingQuotes: String {
        hasPrefix("\"") && hasSuffix("\"") && count > 1 ? String(dropFirst().dropLast()) : self
    }
}
