// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct PropertyListShapeTests {
    private func xml(_ body: String, head: String = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") -> [UInt8] {
        Array("\(head)<plist version=\"1.0\">\(body)</plist>\n".utf8)
    }

    /// A binary property list of these objects, with one-byte references.
    private func binary(
        _ objects: [[UInt8]],
        count: UInt64? = nil,
        top: UInt64 = 0,
        sizes: (offset: UInt8, reference: UInt8) = (2, 1),
        table: UInt64? = nil
    ) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let begin = UInt64(bytes.count)
        for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 255)] }
        bytes += [0, 0, 0, 0, 0, 0, sizes.offset, sizes.reference]
        for number in [count ?? UInt64(objects.count), top, table ?? begin] {
            bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        return bytes
    }

    @Test func `lists as they are written are harmless`() throws {
        let value = ["a": [["b": "c"], ["d": "<&>"]], "list": [["x": "ü"]]]
        for format: PropertyListDecoder.PropertyListFormat in [.xml, .binary] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            #expect(PropertyListShape.isHarmless(Array(try encoder.encode(value))))
        }
        let head = """
            <?xml version='1.0' encoding='utf-8'?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <!-- <dict> -->

            """
        #expect(PropertyListShape.isHarmless(xml("<dict><key>a</key><true/><key>b</key><array /></dict>", head: head)))
        #expect(PropertyListShape.isHarmless(xml("<string><![CDATA[<dict>]]></string>", head: "\u{FEFF}")))
    }

    @Test(arguments: ["dict", "array"]) func `nesting has a limit`(name: String) {
        func nested(_ depth: Int) -> [UInt8] {
            xml(
                String(repeating: "<\(name)>", count: depth) + String(repeating: "</\(name)>", count: depth)
            )
        }
        #expect(PropertyListShape.isHarmless(nested(PropertyListShape.deepest)))
        #expect(!PropertyListShape.isHarmless(nested(PropertyListShape.deepest + 2)))
        #expect(!PropertyListShape.isHarmless(nested(30_000)))
        #expect(!PropertyListShape.isHarmless(Array(String(repeating: "<\(name)>", count: 30_000).utf8)))
    }

    @Test(arguments: [
        "<!DOCTYPE plist [<!ENTITY a \"&b;&b;\">]><plist/>", "<html></html>", "<dict><key>a</dict></key>",
        "<dict a='>'>",
        "<dict", "<plist><dict></plist>", "</dict>", "<!--", "<![CDATA[", "<?xml", "text<plist/>", "", "{ a = b; }",
        "((((((((((", "<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist/>", "<plist><dict\u{0}/></plist>",
    ]) func `what is no well-formed list is refused`(text: String) {
        #expect(!PropertyListShape.isHarmless(Array(text.utf8)))
    }

    @Test func `text in UTF-16 is refused`() {
        for bytes: [UInt8] in [[0xFF, 0xFE], [0xFE, 0xFF]] {
            #expect(!PropertyListShape.isHarmless(bytes + "<plist/>".utf8.flatMap { [$0, 0] }))
        }
    }

    @Test func `the number of values has a limit`() {
        let many = String(repeating: "<true/>", count: PropertyListShape.mostValues)
        #expect(!PropertyListShape.isHarmless(xml("<array>\(many)</array>")))
    }

    @Test func `a circle of references, and a list that refers to itself, are refused`() {
        #expect(!PropertyListShape.isHarmless(binary([[0xA1, 0]])))
        #expect(!PropertyListShape.isHarmless(binary([[0xA1, 1], [0xA1, 0]])))
        #expect(!PropertyListShape.isHarmless(binary([[0xD1, 1, 0], [0x51, 97]])))
    }

    @Test func `shared references that would grow without end are refused`() {
        let lists = (1...30).map { [0xA2, UInt8($0), UInt8($0)] as [UInt8] } + [[0x09]]
        #expect(!PropertyListShape.isHarmless(binary(lists)))
        #expect(
            PropertyListShape.isHarmless(
                binary(Array(lists.suffix(5).map { $0.map { $0 > 25 && $0 < 32 ? $0 - 26 : $0 } }))
            )
        )
    }

    @Test func `a binary list that leads out of the file is refused`() {
        #expect(PropertyListShape.isHarmless(binary([[0xA1, 1], [0x09]])))
        let leaf: [[UInt8]] = [[0x09]]
        for bytes in [
            binary(leaf, count: 0), binary(leaf, count: 2), binary(leaf, count: .max), binary(leaf, count: 1 << 63),
            binary(leaf, top: 1), binary(leaf, top: .max), binary(leaf, table: 0), binary(leaf, table: .max),
            binary(leaf, table: 41), binary(leaf, sizes: (0, 1)), binary(leaf, sizes: (9, 1)),
            binary(leaf, sizes: (2, 0)), binary(leaf, sizes: (2, 255)), binary([[0xA1, 7]]), binary([[0x57, 97]]),
            binary([[0xAF]]), binary([[0xAF, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255]]),
            binary([[0x6F, 0x13, 255, 255, 255, 255, 255, 255, 255, 255]]), binary([[0x5F, 0x14, 0]]),
            binary([[0x18]]), binary([[0x70]]), binary([[0xC1, 0]]), Array("bplist00".utf8), Array("bplist".utf8),
        ] { #expect(!PropertyListShape.isHarmless(bytes), "\(bytes)") }
    }

    @Test func `damaged lists neither end the program nor hold it up`() throws {
        let encoder = PropertyListEncoder()
        var random = SeededGenerator(seed: 13)
        for format: PropertyListDecoder.PropertyListFormat in [.xml, .binary] {
            encoder.outputFormat = format
            let whole = Array(try encoder.encode(["a": [["b": "c"], ["d": "e"]], "f": [["g": "h"]]]))
            for _ in 0..<20_000 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
                guard PropertyListShape.isHarmless(bytes) else { continue }
                _ = try? PropertyListDecoder().decode([String: [[String: String]]].self, from: Data(bytes))
            }
        }
    }
}
