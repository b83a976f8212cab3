// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct SecretRedactorTests {
    static let secret = "s3cr3t/T0k3n+Va=lue_\"9\""
    private let redactor = SecretRedactor([secret])

    private static func percent(_ text: String, upper: Bool = true) -> String {
        text.utf8.map { "%" + hex($0, upper: upper) }.joined()
    }

    private static func hex(_ byte: UInt8, upper: Bool = false) -> String {
        let text = String(byte, radix: 16)
        return (text.count < 2 ? "0" : "") + (upper ? text.uppercased() : text)
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static let json: String = {
        let text = try? JSONEncoder().encode([secret])
        return String(decoding: text ?? Data(), as: UTF8.self)
    }()

    static let forms: [String] = [
        secret, secret.uppercased(), percent(secret), percent(secret, upper: false), percent(percent(secret)),
        secret.replacing("/", with: "%2F").replacing("+", with: "%2b"), json, json.replacing("/", with: "\\/"),
        secret.unicodeScalars.map { "\\u00" + hex(UInt8($0.value)) }.joined(),
        secret.unicodeScalars.map { "\\u00" + hex(UInt8($0.value), upper: true) }.joined(),
        secret.utf8.map { "\\x" + hex($0) }.joined(), secret.utf8.map { "&#\($0);" }.joined(),
        secret.utf8.map { "&#x" + hex($0, upper: true) + ";" }.joined(),
        secret.replacing("\"", with: "&quot;").replacing("/", with: "&sol;").replacing("+", with: "&#43;"),
        secret.utf8.map { hex($0) }.joined(), secret.utf8.map { hex($0, upper: true) }.joined(),
        base64(secret), base64("x" + secret + "yz"), base64("xy" + secret + "z"), base64("xyz" + secret + "!"),
        base64(base64(secret)), base64(percent(secret)), base64(json), percent(base64("a" + secret)),
        base64(secret).replacing("+", with: "-").replacing("/", with: "_"), secret.utf8.map { hex($0) + "\0" }.joined(),
        String(secret.flatMap { [$0, "\0"] }), base64(secret + secret).wrapped(at: 20),
        base64(secret).wrapped(at: 8).replacing("\n", with: "\\r\\n"),
    ]

    @Test(arguments: forms)
    func `a secret is found however it is written`(form: String) {
        let text = "your request had >>>\(form)<<< in it"
        let struck = redactor.strike(text)
        #expect(struck.hasPrefix("your request had >>>") && struck.hasSuffix("<<< in it"))
        #expect(struck.contains("(hidden)"))
        #expect(struck.utf8.count < text.utf8.count || form.utf8.count < 16)
        for start in stride(from: 0, to: form.utf8.count - 12, by: 4) {
            let piece = String(decoding: Array(form.utf8)[start..<start + 12], as: UTF8.self)
            #expect(!struck.contains(piece), "\(piece) of \(form) is left in \(struck)")
        }
    }

    @Test func `a part of a secret is struck as well`() {
        #expect(redactor.strike("it began with s3cr3t/T0k and so on") == "it began with (hidden) and so on")
        #expect(redactor.strike("it ended in n+Va=lue_ and so on") == "it ended in (hidden) and so on")
    }

    @Test func `the beginning of a secret at the end of a text that was cut is struck`() {
        for length in 3..<Self.secret.utf8.count {
            let text = "token: " + Self.secret.prefix(length)
            #expect(redactor.strike(text, isCut: true) == "token: (hidden)", "\(length)")
        }
        for length in 4..<20 {
            let cut = String(Self.base64("ab" + Self.secret).prefix(4 + length * 4 / 3))
            #expect(!redactor.strike("b64 \(cut)", isCut: true).hasSuffix(cut.suffix(6)), "\(length)")
        }
    }

    @Test(arguments: [
        "", "hello", "the server is busy", "s3cr3t", "%zz \\u12 &#x; &unknown;", "\\", "%", "&", "%4", "\\u004",
    ])
    func `what is no secret stays as it is`(text: String) {
        #expect(redactor.strike(text) == text)
        #expect(redactor.strike(text, isCut: true) == text || text == "s3cr3t")
    }

    @Test func `without secrets nothing is touched`() {
        let redactor = SecretRedactor()
        #expect(redactor.isEmpty)
        #expect(redactor.strike("anything") == "anything")
    }

    @Test func `a short secret is struck where it stands alone, and in any way it is written`() {
        var redactor = SecretRedactor()
        redactor.add("007", isWord: true)
        redactor.add("4711")
        redactor.add("x")
        #expect(redactor.strike("pin 007, 10075, x 4711 47112") == "pin (hidden), 10075, x (hidden) (hidden)2")
        #expect(redactor.strike(Self.base64("pin=4711;")) != Self.base64("pin=4711;"))
        #expect(redactor.strike("%34711") == "(hidden)")
    }

    @Test func `bytes that are no text are searched too`() {
        let bytes: [UInt8] = [0xFF, 0xFE] + Array(Self.secret.utf8) + [0xC3]
        #expect(redactor.strike(bytes) == [0xFF, 0xFE] + Array("(hidden)".utf8) + [0xC3])
    }

    @Test func `more secrets than can be looked for hide everything a server says, and not our own sentences`() {
        var redactor = SecretRedactor([String(repeating: "ab1", count: SecretRedactor.mostBytes)])
        #expect(redactor.isOverwhelmed)
        redactor.add("another one")
        #expect(redactor.strike("harmless") == "(hidden)")
        #expect(redactor.strike("the server said ab1ab1ab1", isOwn: true) == "the server said (hidden)")
    }

    @Test func `the time grows with the text, whatever is in it`() {
        let secrets = (0..<500).map { "\(Self.secret)\($0)" } + [String(repeating: "a", count: 60_000)]
        let redactor = SecretRedactor(secrets)
        for unit in ["a", "YWFh", "%61", "\\u0061", "&#97;", "s3cr3t/T0k3n+Va"] {
            let text = Array(String(repeating: unit, count: 262_144 / unit.utf8.count).utf8)
            let time = ThreadTime.measure { _ = redactor.strike(text, isCut: true) }
            // Far less in an optimised build; quadratic time would be hours.
            #expect(time < .seconds(30), "\(unit)")
        }
    }
}

extension String {
    fileprivate func wrapped(at width: Int) -> String {
        stride(from: 0, to: count, by: width).map { String(dropFirst($0).prefix(width)) }.joined(separator: "\n")
    }
}
