// SPDX-License-Identifier: Apache-2.0
import OffstageOS
import OffstageOSLog
import OffstageTestSupport
import Testing

/// The text that `os_log` makes of a format and its values.
@Suite struct FormatStringTests {
    private let hash = KeyedHash(key: 1, 2)

    private func message(_ format: String, _ values: Any...) -> String {
        FormatString(format).message(values, hash: hash, errorNumber: 2)
    }

    @Test func `numbers are written as printf writes them`() {
        #expect(
            message("%d %i %ld %lld %zd", 1, -2, Int64.min, Int64.max, Int8(-3)) == "1 -2 \(Int64.min) \(Int64.max) -3"
        )
        #expect(message("%u %lu %u", UInt8(4), UInt64.max, Int8(-1)) == "4 18446744073709551615 255")
        #expect(message("[%5d|%-5d|%05d|%+d|% d|%.3d]", 42, 42, 42, 42, 42, 7) == "[   42|42   |00042|+42| 42|007]")
        #expect(message("%x %X %#x %o %#o", 255, 255, 255, 8, 8) == "ff FF 0xff 10 010")
        #expect(message("%x", Int32(-1)) == "ffffffff")
        #expect(
            message("%.2f %f %5.1f| %e %g", 3.14159, 1.0, 2.25, 12345.678, 0.0001)
                == "3.14 1.000000   2.2| 1.234568e+04 0.0001"
        )
        #expect(message("%f %.1f %f", Float(0.5), 3, Double.infinity) == "0.500000 3.0 inf")
        #expect(message("%*d|%-*d|%.*f|%*d", 5, 42, 5, 42, 1, 2.55, -4, 7) == "   42|42   |2.5|7   ")
        #expect(message("%c%C", 65, 0x1F600) == "A\u{1F600}")
        #expect(message("%d %d", true, false) == "1 0")
        #expect(message("%p", UnsafeRawPointer(bitPattern: 4096) as Any) == "0x1000")
        #expect(message("100%% %m") == "100% No such file or directory")
    }

    @Test func `numbers say what they stand for`() {
        #expect(message("%{time_t}d", 1_452_627_577) == "2016-01-12 19:39:37Z")
        #expect(message("%{errno}d %{darwin.errno}d", 32, 2) == "[32: Broken pipe] [2: No such file or directory]")
        #expect(message("%{signal}d", 9) == "[9: Killed]")
        #expect(message("%{bool}d %{BOOL}d %{bool}d", 1, 0, true) == "true NO true")
        #expect(message("%{darwin.mode}d", 0o100644) == "-rw-r--r--")
        #expect(message("%{mode}d", 0o040755) == "drwxr-xr-x")
        #expect(message("%{bitrate}d %{iec-bitrate}d", 123_456, 123_456) == "123 kbps 121 Kibps")
        #expect(message("%{bytes}d %{iec-bytes}d %{bytes}d", 4718, 4718, 12) == "4.72 kB 4.61 KiB 12 B")
        #expect(message("%{network:in_addr}d", 0x0100_007F) == "127.0.0.1")
        #expect(message("%{public,time_t}d %{xcode:size-in-bytes}d", 0, 5) == "1970-01-01 00:00:00Z 5")
    }

    @Test func `texts and objects are private unless the format says otherwise`() {
        #expect(message("%@ %s", "secret", "secret") == "<private> <private>")
        #expect(message("%{public}@ %{public}s", "shown", "too") == "shown too")
        #expect(message("%{public}5s|%{public}-5s|%{public}.2s", "abc", "abc", "abc") == "  abc|abc  |ab")
        #expect(message("%{private}d %{sensitive}@ %{private}@", 4, "secret", 4) == "<private> <private> <private>")
        #expect(message("%@ %{public}@", NSString(string: "secret"), NSString(string: "shown")) == "<private> shown")
        #expect(message("%@ %{public}@", ["secret"], [1, 2]) == "<private> [1, 2]")
        #expect(message("%@ %@ %@", 4, true, 2.5) == "4 true 2.5")
        let source: StaticString = "of the source"
        #expect(message("%@ %s", source, source) == "of the source of the source")
        let none: String? = nil
        let some: String? = "secret"
        #expect(message("%{public}@ %@ %{public}@", none as Any, some as Any, some as Any) == "(null) <private> secret")
    }

    @Test func `the more private of two words holds`() {
        #expect(message("%{public, private}@ %{private, public}@", "secret", "secret") == "<private> <private>")
        #expect(message("%{public,sensitive}@", "secret") == "<private>")
        #expect(
            message("%{nonsense}@ %{}@ %{Public}@", "secret", "secret", "secret") == "<private> <private> <private>"
        )
    }

    @Test func `a mask shows a hash, the same for the same value`() {
        let words = message("%{mask.hash}@ %{private, mask.hash}@ %{mask.hash}@", "secret", "secret", "other")
            .replacing("mask.hash: ", with: "").split(separator: " ")
        #expect(words.count == 3 && words[0] == words[1] && words[0] != words[2])
        #expect(words[0].hasPrefix("<'") && words[0].utf8.count == 20)
        #expect(!words.joined().contains("secret"))
        let others = FormatString("%{mask.hash}@").message(["secret"], hash: KeyedHash(key: 1, 3))
        #expect(!others.contains(words[0].dropFirst().dropLast()))
    }

    @Test func `a text that is taken for a number stays private`() {
        #expect(message("%d %x %f %c %p", "secret", "secret", "secret", "secret", "secret").contains("secret") == false)
        #expect(message("%d", "secret") == "<private>")
        #expect(message("%{public}d", "shown") == "<value of another type>")
        #expect(message("%{time_t}d %{bool}d", "secret", "secret") == "<private> <private>")
        #expect(message("%d", 2.5) == "<value of another type>")
    }

    @Test func `too few values and too many are borne`() {
        #expect(message("%d %d", 1) == "1 <missing value>")
        #expect(message("%@") == "<missing value>")
        #expect(message("%*d", 5) == "<missing value>")
        #expect(message("%*.*f") == "<missing value>")
        #expect(message("nothing", 1, "secret") == "nothing")
    }

    @Test func `what is no format stands for itself`() {
        for format in ["%", "50%", "%y", "%{public", "% ", "%n", "%l", "%.", "%{public}", "%5", "%!d"] {
            #expect(message(format, "secret") == format)
        }
        #expect(message("%1$@ %d", 4) == "%1$@ 4")
        #expect(message("%n%n%d", 4) == "%n%n4")
    }

    @Test func `widths beyond all use are cut`() {
        #expect(message("%99999999999999999999d", 1).count == 1000)
        #expect(message("%.99999999999999999999f", 1.0).count == 1002)
        #expect(message("%*d", Int.min, 1).count == 1000)
        #expect(message("%.*f", Int.max, 1.0).count == 1002)
        #expect(message("%1000.1000f", -Double.greatestFiniteMagnitude).count == 1311)
        #expect(message("%.*d", -5, 1) == "1")
    }

    @Test func `memory is read only where a text of C is asked for, and no further than it goes`() {
        "a text".withCString { text in
            #expect(message("%{public}s %{public}.3s %s", text, text, text) == "a text a t <private>")
            #expect(message("%{public}@", text).hasPrefix("0x"))
            #expect(message("%{public}d", text) == "<value of another type>")
            #expect(message("%{public}.16P %{public}.*P", text, 16, text) == "<data> <data>")
        }
        // Nothing is mapped there: reading it would end the test.
        let nowhere = UnsafePointer<CChar>(bitPattern: 16) as Any
        #expect(message("%s %{private}s %{public}p", nowhere, nowhere, nowhere) == "<private> <private> 0x10")
        #expect(message("%{public}@ %{public}.0s", nowhere, nowhere) == "0x10 ")
        #expect(message("%{public}s", UnsafeRawPointer(bitPattern: 16) as Any) == "0x10")
    }

    @Test func `any format and any values make a message`() {
        var generator = SeededGenerator(seed: 7)
        let signs = Array("%%%%{}public,private.*0123456789-+ #lhdsxfgecp@PS\u{0}é".unicodeScalars)
        let values: [Any] = [1, -1, UInt64.max, 2.5, "text", true, Int.min, ["list"], Double.nan]
        for _ in 0..<20_000 {
            var format = String.UnicodeScalarView()
            for _ in 0..<(generator.next() % 24) { format.append(signs[Int(generator.next() % UInt64(signs.count))]) }
            let given = (0..<(generator.next() % 5)).map { _ in values[Int(generator.next() % UInt64(values.count))] }
            _ = FormatString(String(format)).message(given, hash: hash)
        }
    }
}
