// SPDX-License-Identifier: Apache-2.0
import OffstageOS
import OffstageOSLog
import Testing

/// The rendering of values in a `Logger` message.
@Suite struct MessageTests {
    private func text(_ message: OSLogMessage) -> String { message.text }

    @Test func `numbers and texts of the source are shown, other texts and objects are private`() {
        let secret = "secret"
        let source: StaticString = "source"
        #expect(text("plain") == "plain")
        #expect(text("\(1) \(UInt8(2)) \(-3) \(2.5) \(Float(0.5)) \(true)") == "1 2 -3 2.500000 0.500000 true")
        #expect(text("\(CGFloat(1.5), format: .fixed(precision: 1))") == "1.5")
        #expect(text("\(secret) \("literal") \([secret]) \(Described(text: secret))") == Self.hidden(4))
        #expect(text("\(NSString(string: secret)) \(nil as NSObject?) \(Broken.badly)") == Self.hidden(3))
        #expect(
            text("\(Self.self) \(secret.prefix(2)) \(URL(string: "http://secret") ?? Self.nowhere)") == Self.hidden(3)
        )
        #expect(text("\(source)") == "source")
    }

    @Test func `what is public is shown and what is private is not, whatever it is`() {
        let secret = "secret"
        #expect(text("\(secret, privacy: .public) \(Broken.badly, privacy: .public)") == "secret badly")
        #expect(
            text("\(nil as NSObject?, privacy: .public) \(MessageTests.self, privacy: .public)")
                == "(null) MessageTests"
        )
        #expect(
            text("\(1, privacy: .private) \(2.5, privacy: .sensitive) \(true, privacy: .private)") == Self.hidden(3)
        )
        #expect(text("\(secret, privacy: .sensitive) \(secret, privacy: .private(mask: .none))") == Self.hidden(2))
        #expect(text("\(secret, privacy: .auto(mask: .none)) \(4, privacy: .auto(mask: .hash))") == "<private> 4")
    }

    @Test(arguments: [OSLogPrivacy.auto(mask: .hash), .private(mask: .hash), .sensitive(mask: .hash)])
    func `a mask shows a hash in place of the value`(privacy: OSLogPrivacy) {
        let one = text("\("secret", privacy: privacy)")
        #expect(one.hasPrefix("<mask.hash: '") && one.hasSuffix("'>") && one.utf8.count == 31)
        #expect(one == text("\("secret", privacy: privacy)") && one != text("\("other", privacy: privacy)"))
    }

    @Test func `every privacy decides for every kind of value`() {
        let privacies: [(OSLogPrivacy, personal: Disclosure, other: Disclosure)] = [
            (.auto, .hidden, .shown), (.auto(mask: .none), .hidden, .shown), (.auto(mask: .hash), .hashed, .shown),
            (.public, .shown, .shown),
            (.private, .hidden, .hidden), (.private(mask: .none), .hidden, .hidden),
            (.private(mask: .hash), .hashed, .hashed),
            (.sensitive, .hidden, .hidden), (.sensitive(mask: .none), .hidden, .hidden),
            (.sensitive(mask: .hash), .hashed, .hashed),
        ]
        for (privacy, personal, other) in privacies {
            #expect(Disclosure(privacy, isPersonal: true) == personal, "\(privacy)")
            #expect(Disclosure(privacy, isPersonal: false) == other, "\(privacy)")
        }
    }

    @Test func `formats and columns hold`() {
        #expect(text("\(255, format: .hex) \(255, format: .hex(includePrefix: true, uppercase: true))") == "ff 0XFF")
        #expect(
            text("\(7, format: .decimal(explicitPositiveSign: true, minDigits: 3)) \(8, format: .octal)") == "+007 10"
        )
        #expect(text("\(7, format: .decimal(minDigits: -1)) \(7, format: .hex(minDigits: 4))") == "7 0007")
        #expect(
            text("\(3.14159, format: .fixed(precision: 2)) \(3.14159, format: .hybrid(precision: 3))") == "3.14 3.14"
        )
        #expect(text("\(31.4, format: .exponential(precision: 1)) \(1.0, format: .hex)") == "3.1e+01 0x1p+0")
        #expect(text("\(0.5, format: .fixed(precision: -1)) \(-0.0, format: .fixed(precision: 0))") == "0 -0")
        #expect(
            text("[\(7, align: .right(columns: 3))][\("a", align: .left(columns: 3), privacy: .public)]")
                == "[  7][a  ]"
        )
        #expect(text("[\("ab", align: .right(columns: -9), privacy: .public)]") == "[ab]")
        #expect(text("\("secret", align: .right(columns: 20))") == "<private>")
        #expect(text("\(true, format: .answer) \(false, format: .truth)") == "YES false")
        #expect(text("\(1_500_000, format: .byteCount) \(1536, format: .byteCountIEC)") == "1.50 MB 1.50 KiB")
        #expect(text("\(Int32(0x0100_007F), format: .ipv4Address)") == "127.0.0.1")
        #expect(text("\(Int32(0), format: .secondsSince1970)") == "1970-01-01 00:00:00Z")
        #expect(text("\(Int32(9), format: .darwinSignal)") == "[9: Killed]")
    }

    @Test func `a value that is not shown is not asked for its text`() {
        let asked = Asked()
        #expect(text("\(asked) \(asked, privacy: .sensitive)") == "<private> <private>")
        #expect(asked.count == 0)
        #expect(text("\(asked, privacy: .public)") == "asked")
        #expect(asked.count == 1)
    }

    @Test func `the hash is SipHash-2-4`() {
        // From the reference implementation: the key 00…0f, and the inputs "", 00, 00 01, 00 01 02 and 00…0e.
        let hash = KeyedHash(key: 0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
        #expect(hash.value(of: []) == 0x726f_db47_dd0e_0e31)
        #expect(hash.value(of: [0]) == 0x74f8_39c5_93dc_67fd)
        #expect(hash.value(of: [0, 1]) == 0x0d6c_8009_d9a9_4f5a)
        #expect(hash.value(of: [0, 1, 2]) == 0x8567_6696_d7fb_7e2d)
        #expect(hash.value(of: Array(0..<15)) == 0xa129_ca61_49be_45e5)
    }

    private static let nowhere = URL(fileURLWithPath: "/")
    private static func hidden(_ count: Int) -> String {
        Array(repeating: "<private>", count: count).joined(separator: " ")
    }
}

private enum Broken: Error { case badly }

private struct Described: CustomStringConvertible {
    var text: String
    var description: String { text }
}

private final class Asked: CustomStringConvertible {
    var count = 0
    var description: String {
        count += 1
        return "asked"
    }
}
